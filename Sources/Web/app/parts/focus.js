// Moves the focus on when the page removes the element that has it. Otherwise the browser drops the focus, and a screen
// reader begins again at the top.

const FOCUSABLE = "button, a[href], input, select, textarea, summary";

/** The heading of the screen that is shown. */
export const heading =
  () => /** @type {HTMLElement | null} */ (document.querySelector("main > :not([aria-hidden]) h1"));

/**
 * Whether the page has just removed the element that had the focus.
 * @param {Element | null} one @returns {one is Element}
 */
export const isLost = (one) => one !== null && !one.isConnected && document.activeElement === document.body;

/**
 * Gives the focus to a control that replaces a removed one: one of the same name, or of the same kind, or any. Without
 * one, the heading around gets it.
 * @param {Element} lost @param {Node[]} replacement @param {Element | null} around
 */
export function refocus(lost, replacement, around) {
  const usable = replacement.flatMap((node) =>
    node instanceof Element ? [node, ...node.querySelectorAll(FOCUSABLE)].filter((one) => one.matches(FOCUSABLE)) : []
  ).filter((one) => one.checkVisibility() && !one.matches(":disabled"));
  // A text field would open a phone's keyboard unasked.
  const others = usable.filter((one) => !one.matches("input:not([type=checkbox], [type=radio]), textarea"));
  const next = usable.find((one) => one.localName === lost.localName && nameOf(one) === nameOf(lost)) ??
    others.find((one) => one.localName === lost.localName && one.className === lost.className) ?? others[0] ??
    around?.closest("dialog, article")?.querySelector("h1, h2");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** @param {Element} one */
const nameOf = (one) => one.ariaLabel ?? (one.getAttribute("name") || one.textContent);
