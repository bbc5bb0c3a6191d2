// Where the focus goes when the element that had it is taken away. It would fall to nothing, and a keyboard or a reader
// of the screen would begin again at the top.

const FOCUSABLE = "button, a[href], input, select, textarea, summary";

/**
 * Whether an element had the focus and has just been taken away.
 * @param {Element | null} one @returns {one is Element}
 */
export const isLost = (one) => one !== null && !one.isConnected && document.activeElement === document.body;

/**
 * Gives the focus to what has come in place of the element that had it: the control of the same name, or one like it,
 * or any; or else to the heading.
 * @param {Element} lost @param {Node[]} now what has come @param {Element | null} around
 */
export function refocus(lost, now, around) {
  const usable = now.flatMap((node) =>
    node instanceof Element ? [node, ...node.querySelectorAll(FOCUSABLE)].filter((one) => one.matches(FOCUSABLE)) : []
  ).filter((one) => one.checkVisibility() && !one.matches(":disabled"));
  // A field that nobody has chosen would open a phone's keyboard.
  const others = usable.filter((one) => !one.matches("input:not([type=checkbox], [type=radio]), textarea"));
  const next = usable.find((one) => one.localName === lost.localName && nameOf(one) === nameOf(lost)) ??
    others.find((one) => one.localName === lost.localName && one.className === lost.className) ?? others[0] ??
    around?.closest("dialog, article")?.querySelector("h1, h2");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** @param {Element} one */
const nameOf = (one) => one.ariaLabel ?? (one.getAttribute("name") || one.textContent);
