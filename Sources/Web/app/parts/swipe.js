// Swiping a row: to the end it does one thing, to the start another. The same is always there as a button, too.

/** So far a row must be pulled before letting go does something, in pixels. */
const ENOUGH = 72;
/** A finger that moves less than this has tapped. */
const SLACK = 10;

/**
 * @param {HTMLElement} row the list's element @param {HTMLElement} cover what moves over it
 * @param {{ end?: () => void, start?: () => void, isOff?: () => boolean }} actions by the direction of the text
 */
export function swipe(row, cover, actions) {
  /** @type {{ id: number, x: number, y: number } | null} */ let from = null;
  let isSwiping = false;
  let way = 0;

  /** @param {number} to */
  function show(to) {
    way = to;
    cover.style.transform = to ? `translateX(${to}px)` : "";
    const isEnd = (to > 0) === (getComputedStyle(row).direction === "ltr");
    row.toggleAttribute("data-swipes-end", to !== 0 && isEnd);
    row.toggleAttribute("data-swipes-start", to !== 0 && !isEnd);
    row.toggleAttribute("data-swipes-far", Math.abs(to) >= ENOUGH);
  }

  row.addEventListener("pointerdown", (event) => {
    // With a mouse, the buttons are as near.
    if (event.pointerType === "mouse" || !event.isPrimary) return;
    from = { id: event.pointerId, x: event.clientX, y: event.clientY };
    isSwiping = false;
  });
  row.addEventListener("pointermove", (event) => {
    if (event.pointerId !== from?.id || actions.isOff?.()) return;
    const [right, down] = [event.clientX - from.x, event.clientY - from.y];
    if (!isSwiping) {
      if (Math.abs(right) < SLACK) return;
      if (Math.abs(right) < Math.abs(down) * 1.5) return void (from = null);
      isSwiping = true;
      cover.classList.add("is-swiped");
      row.setPointerCapture(event.pointerId);
    }
    const isEnd = (right > 0) === (getComputedStyle(row).direction === "ltr");
    // Where nothing is to be done, the row hardly moves.
    show((isEnd ? actions.end : actions.start) ? right : right / 6);
  });

  /** @param {PointerEvent} event */
  function end(event) {
    if (event.pointerId !== from?.id) return;
    from = null;
    cover.classList.remove("is-swiped");
    const [far, isEnd] = [Math.abs(way) >= ENOUGH, row.hasAttribute("data-swipes-end")];
    show(0);
    // After the click that may follow at once: a later one, by a key, is meant.
    setTimeout(() => (isSwiping = false));
    if (far && event.type === "pointerup") (isEnd ? actions.end : actions.start)?.();
  }
  row.addEventListener("pointerup", end);
  row.addEventListener("pointercancel", end);
  // A finger that has swiped has not tapped what is below it.
  row.addEventListener("click", (event) => {
    if (!isSwiping) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
}
