// Values that screens depend on, and elements made of them.
//
// A signal holds a value; a computed value is derived from others when it is read; an effect runs again after
// something that it read has changed. Elements are made one by one (`h`), never parsed from text, so a typed
// name can never become markup. Everything created inside a scope ends with the scope.

import { isLost, refocus } from "./focus.js";

/** @typedef {{ mark(): void, sources: Map<Source<any>, number> }} Reader */

/** @type {Reader | null} */ let reader = null;
/** @type {Scope | null} */ let owner = null;
/** @type {Set<Effect>} */ const due = new Set();
let isScheduled = false;

/** Runs what is due now; called by itself in a microtask, and by whoever must see the result at once. */
export function settle() {
  isScheduled = false;
  // A change made by an effect may make others due, which a Set visits in the same walk.
  for (const effect of due) {
    due.delete(effect);
    effect.runIfChanged();
  }
}

/** Ends together: effects, computed values and clean-ups that were created while it was open. */
class Scope {
  /** @type {(() => void)[]} */ endings = [];
  end() {
    const endings = this.endings;
    this.endings = [];
    for (const ending of endings.reverse()) ending();
  }
}

/** @template T */
class Source {
  /** @type {Set<Reader>} */ readers = new Set();
  version = 0;
  /** @param {T} value */
  constructor(value) {
    this.value = value;
  }
  /** The version after bringing the value up to date. */
  refresh() {
    return this.version;
  }
  /** The value, remembered as something that the running effect depends on. */
  get() {
    const version = this.refresh();
    if (reader) {
      this.readers.add(reader);
      reader.sources.set(this, version);
    }
    return this.value;
  }
  /** The value without depending on it. */
  peek() {
    this.refresh();
    return this.value;
  }
}

/** @template T @extends {Source<T>} */
class Signal extends Source {
  /** @param {T} next */
  set(next) {
    if (Object.is(next, this.value)) return;
    this.value = next;
    this.version += 1;
    for (const each of [...this.readers]) each.mark();
  }
  /** @param {(value: T) => T} change */
  update(change) {
    this.set(change(this.value));
  }
}

/** @param {Reader} one */
function forget(one) {
  for (const source of one.sources.keys()) source.readers.delete(one);
  one.sources.clear();
}

/** @param {Reader} one */
function hasNews(one) {
  for (const [source, version] of one.sources) if (source.refresh() !== version) return true;
  return false;
}

/** @template T @extends {Source<T>} */
class Computed extends Source {
  /** @type {Map<Source<any>, number>} */ sources = new Map();
  isStale = true;
  isFirst = true;
  /** @param {() => T} compute */
  constructor(compute) {
    super(/** @type {T} */ (/** @type {unknown} */ (undefined)));
    this.compute = compute;
    owner?.endings.push(() => forget(this));
  }
  mark() {
    if (this.isStale) return;
    this.isStale = true;
    for (const each of [...this.readers]) each.mark();
  }
  /** @override */
  refresh() {
    if (!this.isStale) return this.version;
    this.isStale = false;
    if (this.isFirst || hasNews(this)) {
      this.isFirst = false;
      forget(this);
      const before = reader;
      reader = this;
      try {
        const next = this.compute();
        if (!Object.is(next, this.value)) {
          this.value = next;
          this.version += 1;
        }
      } finally {
        reader = before;
      }
    }
    return this.version;
  }
}

class Effect extends Scope {
  /** @type {Map<Source<any>, number>} */ sources = new Map();
  /** @param {() => void} work */
  constructor(work) {
    super();
    this.work = work;
    this.run();
  }
  mark() {
    due.add(this);
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(settle);
  }
  runIfChanged() {
    if (!hasNews(this)) return;
    try {
      this.run();
    } catch (error) {
      reportError(error); // One broken screen part must not stop the others.
    }
  }
  run() {
    this.stop();
    const [readerBefore, ownerBefore] = [reader, owner];
    reader = this;
    owner = this;
    try {
      this.work();
    } finally {
      reader = readerBefore;
      owner = ownerBefore;
    }
  }
  stop() {
    due.delete(this);
    forget(this);
    this.end();
  }
}

/** @template T @param {T} value */
export function signal(value) {
  return new Signal(value);
}

/** @template T @param {() => T} compute */
export function computed(compute) {
  return new Computed(compute);
}

/**
 * Runs `work` now, and again after anything that it read has changed. Answers how to end that.
 * @param {() => void} work
 */
export function effect(work) {
  const made = new Effect(work);
  const stop = () => made.stop();
  owner?.endings.push(stop);
  return stop;
}

/** Called when the scope or the run of the effect around it ends. @param {() => void} ending */
export function onEnd(ending) {
  owner?.endings.push(ending);
}

/** @template T @param {() => T} work */
export function untracked(work) {
  const before = reader;
  reader = null;
  try {
    return work();
  } finally {
    reader = before;
  }
}

/**
 * Shows a child while a condition holds. The child is made once, however often the condition is read again, so that its
 * focus and its half-filled fields stay.
 * @param {() => unknown} condition @param {() => import("./child.d.ts").Child} make
 */
export function when(condition, make) {
  const holds = computed(() => Boolean(condition()));
  return () => holds.get() ? untracked(make) : null;
}

/**
 * Runs `work` in a scope of its own that nothing but `end` ends.
 * @template T @param {() => T} work @returns {{ value: T, end: () => void }}
 */
export function scope(work) {
  const made = new Scope();
  const [readerBefore, ownerBefore] = [reader, owner];
  reader = null;
  owner = made;
  try {
    return { value: work(), end: () => made.end() };
  } finally {
    reader = readerBefore;
    owner = ownerBefore;
  }
}

/**
 * The value of `read`, of a thing that tells of its changes, such as a room.
 * @template {{ onChange(f: () => void): () => void }} S @template T
 * @param {S} source @param {(source: S) => T} read
 */
export function observe(source, read) {
  const made = signal(read(source));
  onEnd(source.onChange(() => made.set(read(source))));
  return made;
}

/** @typedef {import("./child.d.ts").Plain} Plain */
/** @typedef {import("./child.d.ts").ChildList} ChildList */
/** @typedef {import("./child.d.ts").Child} Child */
/** @typedef {Record<string, any>} Props */

// Properties that an attribute sets only at the beginning, or that have none.
const PROPERTIES = new Set(["value", "checked", "disabled", "indeterminate", "selected", "hidden", "readOnly", "open"]);
const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `on…` are listeners, `style` an object, `ref` is called with the element. A function as any other
 * value, or as a child, is read again whenever what it depends on changes.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name @param {Props | null} [props] @param {...Child} children
 * @returns {HTMLElementTagNameMap[N]}
 */
export function h(name, props, ...children) {
  return fill(document.createElement(name), props, children);
}

/** The same for drawings. @param {string} name @param {Props | null} [props] @param {...Child} children */
export function svg(name, props, ...children) {
  return fill(/** @type {SVGElement} */ (document.createElementNS(SVG, name)), props, children);
}

/** @template {Element} E @param {E} element @param {Props | null | undefined} props @param {Child[]} children */
function fill(element, props, children) {
  for (const child of children) place(element, child);
  // After the children: a `select` can only take a value that one of them has.
  for (const [key, value] of Object.entries(props ?? {})) {
    if (key === "ref") value(element);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (typeof value === "function") effect(() => assign(element, key, value()));
    else assign(element, key, value);
  }
  return element;
}

/** @param {Element} element @param {string} key @param {any} value */
function assign(element, key, value) {
  if (key === "style") {
    const style = /** @type {HTMLElement} */ (element).style;
    for (const [name, text] of Object.entries(value)) style.setProperty(name, String(text));
  } else if (PROPERTIES.has(key)) {
    // Writing an equal value would move the cursor of somebody who types.
    if (/** @type {any} */ (element)[key] !== value) /** @type {any} */ (element)[key] = value;
  } else if (value == null || (value === false && !key.startsWith("aria-"))) element.removeAttribute(key);
  else element.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : String(value));
}

/** @param {Node} parent @param {Child} child */
function place(parent, child) {
  if (child == null || typeof child === "boolean") return;
  if (Array.isArray(child)) { for (const one of child) place(parent, one); }
  else if (child instanceof Node) parent.appendChild(child);
  else if (typeof child === "function") parent.appendChild(changing(child));
  else parent.appendChild(document.createTextNode(String(child)));
}

/**
 * The node that `make` returns, made again when it changes. A text keeps its node.
 * @param {() => import("./child.d.ts").Child} make
 */
function changing(make) {
  const fragment = document.createDocumentFragment();
  const [first, last] = [document.createTextNode(""), document.createTextNode("")];
  fragment.append(first, last);
  effect(() => {
    const made = make();
    if (typeof made === "string" || typeof made === "number") {
      const only = first.nextSibling;
      if (only instanceof Text && only !== last && only.nextSibling === last) {
        if (only.data !== String(made)) only.data = String(made);
        return;
      }
    }
    const focused = document.activeElement;
    // By the two marks, since lists inside have rows that were not there at first.
    while (first.nextSibling && first.nextSibling !== last) first.nextSibling.remove();
    const inside = document.createDocumentFragment();
    place(inside, made);
    last.parentNode?.insertBefore(inside, last);
    if (isLost(focused)) {
      const replacement = [];
      for (let node = first.nextSibling; node && node !== last; node = node.nextSibling) replacement.push(node);
      refocus(focused, replacement, last.parentElement);
    }
  });
  return fragment;
}

/**
 * Children by key. A row that stays keeps its element, and so its focus, scroll and animation; its item is a function
 * to be called where it is shown. Rows that come later than the list itself have `data-new`. Their keys are in
 * `data-row`, unless a row has put there itself what it shows.
 * @template T
 * @param {() => Iterable<T>} list @param {(item: T) => string} key
 * @param {(item: () => T, key: string) => Element} row
 */
export function each(list, key, row) {
  const fragment = document.createDocumentFragment();
  const [first, last] = [document.createTextNode(""), document.createTextNode("")];
  fragment.append(first, last);
  /** @type {Map<string, { element: Element, item: Signal<T>, end: () => void }>} */
  let rows = new Map();
  let isFirst = true;
  effect(() => {
    const items = [...list()];
    /** @type {typeof rows} */ const next = new Map();
    for (const item of items) {
      const id = key(item);
      if (next.has(id)) continue;
      let known = rows.get(id);
      if (known) known.item.set(item);
      else {
        const held = signal(item);
        const made = scope(() => row(() => held.get(), id));
        known = { element: made.value, item: held, end: made.end };
        if (!isFirst) known.element.setAttribute("data-new", "");
        if (!known.element.hasAttribute("data-row")) known.element.setAttribute("data-row", id);
      }
      next.set(id, known);
    }
    const focused = document.activeElement;
    /** @type {Element | null} */ let beside = null;
    for (const [id, known] of rows) {
      if (next.has(id)) continue;
      if (known.element.contains(focused)) {
        beside = known.element.nextElementSibling ?? known.element.previousElementSibling;
      }
      known.end();
      known.element.remove();
    }
    rows = next;
    isFirst = false;
    let place = first.nextSibling;
    for (const { element } of next.values()) {
      if (element === place) place = element.nextSibling;
      else if (place && place !== last && element === place.nextSibling) {
        // The row here goes further down: moving it alone leaves the others in their places.
        move(place, last);
        place = element.nextSibling;
      } else move(element, place ?? last);
    }
    if (isLost(focused)) refocus(focused, beside ? [beside] : [], last.parentElement);
  });
  onEnd(() => {
    for (const { end } of rows.values()) end();
  });
  return fragment;
}

/** @param {Node} node @param {Node} before */
function move(node, before) {
  const parent = /** @type {any} */ (before.parentNode);
  // `moveBefore` keeps focus, but only some browsers have it, and it takes only what is in the page already.
  if (parent.moveBefore && node.isConnected && parent.isConnected) return parent.moveBefore(node, before);
  const focused = node.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
  parent.insertBefore(node, before);
  focused?.focus({ preventScroll: true });
}
