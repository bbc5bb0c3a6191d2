// A list that is asked for page by page.

import { signal } from "./signal.js";

/**
 * @template T
 * @param {(before: string | undefined) => Promise<{ items: T[], next?: string }>} ask for the page at a place
 * @param {object} options
 * @param {(error: unknown) => void} options.failed told why there is no page; the next try asks for it again
 * @param {boolean} [options.repeats] whether the first page has what is shown already, and is followed by the next one
 * @param {() => () => void} [options.keepPlace] called before rows are added; returns what is to be done afterwards
 */
export function pagesOf(ask, { failed, repeats = false, keepPlace }) {
  const items = signal(/** @type {T[]} */ ([]));
  /** The next page's place: undefined before the first page, null behind the last one. */
  const next = signal(/** @type {string | null | undefined} */ (undefined));
  const isBusy = signal(false);
  /** The number of times that the list has begun; an answer from before is not wanted any longer. */
  let begun = 0;

  const more = async () => {
    if (isBusy.peek() || next.peek() === null) return;
    const asked = begun;
    isBusy.set(true);
    try {
      for (let isRepeated = true; isRepeated;) {
        const before = next.peek() ?? undefined;
        const page = await ask(before);
        if (asked !== begun) return;
        const done = keepPlace?.();
        items.update((known) => before ? [...known, ...page.items] : page.items);
        next.set(page.next ?? null);
        done?.();
        isRepeated = repeats && !before && page.next !== undefined;
      }
    } catch (error) {
      if (asked === begun) failed(error);
    } finally {
      if (asked === begun) isBusy.set(false);
    }
  };

  /** Begins with the first page again; what is here stays until that is there. */
  const again = () => {
    begun++;
    isBusy.set(false);
    next.set(undefined);
    return more();
  };

  return {
    items,
    isBusy,
    /** Whether the first page is under way, and nothing can be shown. */
    isBeginning: () => isBusy.get() && !items.get().length,
    isAll: () => next.get() === null,
    more,
    again,
  };
}
