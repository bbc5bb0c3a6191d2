// The icons: one set, 24 by 24, drawn with one pen of 1.75, in the colour of the text around them.

import { svg } from "./signal.js";

/** Paths; what begins with `o` is a circle: centre and radius. */
const DRAWINGS = {
  home: "M3.5 11 12 4l8.5 7M5.5 9.5V20h13V9.5M10 20v-5.5h4V20",
  cart: "M3 4h2.2l2 11h10.3l2-8H6o9 19.2 1.1o16.5 19.2 1.1",
  basket: "M4 10h16l-2 9.5H6zM8 10l3-6M16 10l-3-6M10 13.5v3M14 13.5v3",
  chores: "M14.5 3.5 11 11M8.5 10l6 2.8-1.2 3.2-6.6-3.1zM6.7 12.9C5.5 15 4.5 17 3.5 19l7.3 1.8c1-1.6 1.8-3.2 2.5-4.8",
  money: "M4 6.5h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 6.5a2 2 0 0 1 2-2h10o16 13 .6",
  out: "M12 21c4.5-4.6 6.8-8 6.8-11a6.8 6.8 0 0 0-13.6 0c0 3 2.3 6.4 6.8 11zo12 10 2.4",
  pin: "M12 21c4.5-4.6 6.8-8 6.8-11a6.8 6.8 0 0 0-13.6 0c0 3 2.3 6.4 6.8 11zo12 10 2.4",
  map: "M3.5 6.5 9 4l6 2.5L20.5 4v13.5L15 20l-6-2.5L3.5 20zM9 4v13.5M15 6.5V20",
  bell: "M6 10a6 6 0 0 1 12 0c0 4 1.5 5.5 2 6.5H4c.5-1 2-2.5 2-6.5zM10 19.5a2.2 2.2 0 0 0 4 0",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  check: "M5 12.5 10 17.5 19.5 7",
  done: "o12 12 8.5M8 12.3l2.8 2.8L16 9.5",
  ring: "o12 12 8.5",
  close: "M6 6l12 12M18 6 6 18",
  back: "M19 12H5M11 6l-6 6 6 6",
  next: "M9.5 6l6 6-6 6",
  before: "M14.5 6l-6 6 6 6",
  down: "M6 9.5l6 6 6-6",
  up: "M6 14.5l6-6 6 6",
  more: "o6 12 .9o12 12 .9o18 12 .9",
  edit: "M4.5 19.5l1-4.2L16 4.8a1.8 1.8 0 0 1 2.6 0l.6.6a1.8 1.8 0 0 1 0 2.6L8.7 18.5zM14 7l3 3",
  bin: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10.2 10.5v5.5M13.8 10.5v5.5",
  undo: "M8.5 5 4.5 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11H9",
  again: "M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 4.5v4h-4",
  share: "M12 15V4M8 7.5 12 3.5l4 4M6 11.5v8h12v-8",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1",
  copy: "M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9",
  code: "M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h2.5v2.5M19.5 16.5v3h-3M13.5 19.5h.1",
  person: "o12 8.5 4M4.5 20c.7-4 3.5-6 7.5-6s6.8 2 7.5 6",
  people:
    "o9 8.5 3.5M2.5 19.5c.6-3.7 3-5.5 6.5-5.5s5.9 1.8 6.5 5.5M15.5 5.3a3.5 3.5 0 0 1 0 6.4M18 14.5c2 .7 3.1 2.4 3.5 5",
  addPerson: "o10 8.5 3.8M3 20c.7-4 3.2-6 7-6 2 0 3.7.5 4.9 1.6M18.5 14.5v6M15.5 17.5h6",
  mail: "M3.5 5.5h17v13h-17zM3.5 7l8.5 6.5L20.5 7",
  chat: "M4 5h16v11.5h-8.5L7 20.5v-4H4z",
  send: "M4 4.5 20.5 12 4 19.5l2.5-7.5zM6.5 12H13",
  smile: "o12 12 8.5M8.5 14.2c1.8 2.4 5.2 2.4 7 0M9.3 9.5v.1M14.7 9.5v.1",
  note: "M5 4.5h14V14l-5.5 5.5H5zM19 14h-5.5v5.5",
  activity: "M3 12.5h4l2.5-7 4.5 13 2.5-6H21",
  clock: "o12 12 8.5M12 7v5.3l3.5 2",
  settings: "M4 7.5h9M17 7.5h3M4 16.5h3M11 16.5h9o15 7.5 2o9 16.5 2",
  lock: "M5.5 10.5h13v9.5h-13zM8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5",
  key: "o8 15.5 4M11 12.7 19.5 4.5M15.5 8.3l3 3",
  globe: "o12 12 8.5M3.5 12h17M12 3.5c5 5 5 12 0 17M12 3.5c-5 5-5 12 0 17",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  sun: "o12 12 4M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4",
  leave: "M13.5 4.5h-8v15h8M10 12h10.5M16.5 8l4 4-4 4",
  phone: "M7 3.5h10v17H7zM11 17.5h2",
  alert: "M12 4 21 19.5H3zM12 10v4.5M12 17v.1",
  info: "o12 12 8.5M12 11v5.5M12 7.7v.1",
  offline: "M4 4l16 16M7.5 9A4.6 4.6 0 0 0 7 18h9.5M19.5 16.5A4.2 4.2 0 0 0 17 9a6 6 0 0 0-6.5-3.5",
  waiting: "o12 12 8.5M12 7.5V12h-4",
  search: "o10.5 10.5 6M15 15l5 5",
  crown: "M4 8l4 4 4-7 4 7 4-4-1.5 10.5h-13z",
  suitcase: "M4 8h16v11.5H4zM9 8V5h6v3M4 13h16",
  cake: "M4.5 20v-8h15v8M3 20h18M12 12V8.5M12 5.5v.1M4.5 15.5c2.5 2 5-1 7.5 0s5 1 7.5 0",
  calendar: "M4 6.5h16V20H4zM4 11h16M8.5 4v4M15.5 4v4",
  rota: "M4 6.5h16V20H4zM4 11h16M9.3 11v9M14.7 11v9",
  cup: "M6.5 4h11l-1.2 16H7.7zM7 10h10",
  locate: "o12 12 3o12 12 7.5M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2",
  compass: "o12 12 8.5M15.5 8.5l-2 5-5 2 2-5z",
  directions: "M12 3.5 20.5 12 12 20.5 3.5 12zM9 14.5V11.5h5.5M12.5 9.5l2 2-2 2",
  car: "M4 16.5v-4l2-5.5h12l2 5.5v4zM4 12.5h16M5.5 16.5V19M18.5 16.5V19M7.2 14.6h.1M16.8 14.6h.1",
  walk: "o13 4.8 1.6M13 9l-3.5 3.5 3 3L11.5 21M13 9l2 2.5 3 1M13 9l-3.5.5L7.5 13M9.8 15.5 7 20.5",
  battery: "M3 8.5h15v7H3zM20.5 11v2M5.5 11v2",
  stop: "M7 7h10v10H7z",
  eye: "M2.5 12C5 7.5 8.2 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5S5 16.5 2.5 12zo12 12 2.8",
  hidden: "M4 4l16 16M9.5 6a9 9 0 0 1 2.5-.5c3.8 0 7 2 9.5 6.5a15 15 0 0 1-2.5 3.4M6 7.5A14 14 0 0 0 2.5 12" +
    "C5 16.5 8.2 18.5 12 18.5a9 9 0 0 0 4-.9",
  list: "M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.1M4.5 12h.1M4.5 17.5h.1",
  store: "M4 10v10h16V10M3 10l2-5.5h14l2 5.5c0 2.5-4 3-4.5.5-.5 2.5-4 2.5-4.5 0-.5 2.5-4 2.5-4.5 0" +
    "C7 13 3 12.5 3 10zM10 20v-5h4v5",
  jar: "M8 3.5h8v3H8zM8 6.5c-1.5.8-2.5 2-2.5 4V20h13v-9.5c0-2-1-3.2-2.5-4M5.5 12.5h13",
  block: "o12 12 8.5M6 6l12 12",
  receipt: "M5.5 3.5v17l2.2-1.5 2.1 1.5 2.2-1.5 2.2 1.5 2.1-1.5 2.2 1.5v-17zM9 8h6M9 12h6",
  bars: "M4 20h16M7 20v-6M12 20V6M17 20v-9",
  bolt: "M13 3 5.5 13.5H12L11 21l7.5-10.5H12z",
  sofa: "M4 12v6.5h16V12M4 12a2 2 0 0 1 3 1.5V15h10v-1.5a2 2 0 0 1 3-1.5M6.5 11V7a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v4",
  fork: "M6.5 3.5v6a2.75 2.75 0 0 0 5.5 0v-6M9.25 3.5V21M17 21v-7h-2.5c0-5 .5-8.5 2.5-10.5z",
  heart: "M12 20C6.5 16 3.5 12.8 3.5 9.2A4.4 4.4 0 0 1 12 7.6a4.4 4.4 0 0 1 8.5 1.6c0 3.6-3 6.8-8.5 10.8z",
  flag: "M6 21V4M6 4.5h12l-2.5 4 2.5 4H6",
};

/** @typedef {keyof typeof DRAWINGS} IconName */

/** @param {number} x @param {number} y @param {number} r */
const circle = (x, y, r) => `M${x + r} ${y}a${r} ${r} 0 1 1 ${-2 * r} 0a${r} ${r} 0 1 1 ${2 * r} 0z`;

/**
 * An icon; it says nothing by itself, the words or the label beside it do.
 * @param {IconName} name @param {{ class?: string }} [options]
 */
export function icon(name, options = {}) {
  // One path for all of it: each element more costs time whenever a screen or a sheet opens.
  const d = DRAWINGS[name].replace(/o(\S+) (\S+) ([\d.]+)/g, (_, x, y, r) => circle(Number(x), Number(y), Number(r)));
  const element = svg(
    "svg",
    { class: `icon ${options.class ?? ""}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d }),
  );
  // Arrows that mean "back" and "on" turn with the direction of the script.
  if (["back", "before", "next", "leave", "send"].includes(name)) element.classList.add("turns");
  return element;
}
