// Tells the server where I am while I share it, from this browser alone.
//
// A browser reports only while its page is in sight: no web interface goes on when the phone is locked. A failure to
// find the place is told, too: a report without a position tells the others that the phone can be reached.

/** @import { Hearth } from "../hearth/hearth.js" */
/** @import { MeState } from "../hearth/types/documents.d.ts" */
/** @import { Waiting } from "../hearth/types/library.d.ts" */

/**
 * @typedef {{ lat: number, lon: number, accuracy?: number, fixTime: string, battery?: number }} Fix
 * @typedef {"off" | "elsewhere" | "asking" | "watching" | "denied" | "unavailable"} ReporterState
 * @typedef {{ now(): number, after(milliseconds: number, work: () => void): () => void }} Time
 */

/** Fixes closer together than this tell nothing more; those between two reports show whether a place was reached. */
const LEAST_BETWEEN = 5_000;
/** So many fixes go in one report. */
const MOST_FIXES = 60;
/** The usual time between two reports; the server may ask for another. */
const USUAL_INTERVAL = 30_000;

/** After so long without a report that the server took the person is warned, and then the others are told. */
const SILENT = 75_000;
const TOLD = 180_000;

/** @type {Time} */
const browserTime = {
  now: () => Date.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
};

export class Reporter {
  /** @type {ReporterState} */ state = "off";
  /** The last place that was found out here. @type {Fix | null} */ latest = null;
  /** When the server last took a report, by this device's clock. @type {number | null} */ sentAt = null;
  /** How many fixes wait for the network. */ unsent = 0;
  /** The last refusal, in the server's words; empty after a success. */ refusal = "";
  /** Whether the server has taken no report for so long that the others will be told soon. */ isSilent = false;
  /** Whether they have been told. */ isTold = false;

  /** @type {Fix[]} */ #fixes = [];
  /** @type {number | null} */ #watch = null;
  /** @type {(() => void) | null} */ #cancel = null;
  /** @type {(() => void) | null} */ #cancelSilence = null;
  /** @type {Set<() => void>} */ #listeners = new Set();
  #interval = USUAL_INTERVAL;
  #reportedAt = -Infinity;
  #isHeld = false;
  /** @type {number | undefined} */ #battery;

  /**
   * @param {(fixes: Fix[]) => Promise<{ intervalSeconds?: number, shares?: number }>} send
   * @param {Geolocation | undefined} geolocation @param {Time} [time]
   */
  constructor(send, geolocation, time = browserTime) {
    this.send = send;
    this.geolocation = geolocation;
    this.time = time;
  }

  /** @param {() => void} f */
  onChange(f) {
    this.#listeners.add(f);
    return () => void this.#listeners.delete(f);
  }

  #changed() {
    for (const f of this.#listeners) f();
  }

  /**
   * Whether this browser should report; `elsewhere` if another device of mine does. @param {boolean | "elsewhere"} is
   */
  set(is) {
    if (is === true) return this.#start();
    this.#stop(is === "elsewhere" ? "elsewhere" : "off");
  }

  #start() {
    if (this.#watch !== null || this.#cancel) return;
    this.state = this.geolocation ? "asking" : "unavailable";
    this.#interval = USUAL_INTERVAL;
    this.#reportedAt = -Infinity;
    this.#look();
    this.#schedule(this.#interval);
    this.#heard();
    this.#changed();
  }

  #look() {
    if (this.#watch !== null) this.geolocation?.clearWatch(this.#watch);
    this.#watch = this.geolocation?.watchPosition(
      (position) => this.#found(position),
      (error) => this.#failed(error),
      { enableHighAccuracy: true, maximumAge: 5_000, timeout: 27_000 },
    ) ?? null;
  }

  /** The server has taken a report, or the first one is still to come: the time until a warning begins anew. */
  #heard() {
    this.isSilent = this.isTold = false;
    this.#cancelSilence?.();
    this.#cancelSilence = this.time.after(SILENT, () => {
      this.isSilent = true;
      this.#cancelSilence = this.time.after(TOLD - SILENT, () => {
        this.isTold = true;
        this.#changed();
      });
      this.#changed();
    });
  }

  /** @param {ReporterState} state */
  #stop(state) {
    if (this.#watch !== null) this.geolocation?.clearWatch(this.#watch);
    this.#cancel?.();
    this.#cancelSilence?.();
    this.#watch = this.#cancel = this.#cancelSilence = null;
    this.isSilent = this.isTold = false;
    this.#fixes = [];
    this.latest = null;
    if (state === this.state) return;
    this.state = state;
    this.#changed();
  }

  /** @param {GeolocationPosition} position */
  #found({ coords, timestamp }) {
    const accuracy = Number.isFinite(coords.accuracy) ? Math.min(50_000, Math.max(0, coords.accuracy)) : undefined;
    /** @type {Fix} */
    const fix = {
      lat: coords.latitude,
      lon: coords.longitude,
      ...(accuracy === undefined ? {} : { accuracy }),
      fixTime: new Date(timestamp).toISOString(),
      ...(this.#battery === undefined ? {} : { battery: this.#battery }),
    };
    const wasDenied = this.state === "denied";
    this.state = "watching";
    this.latest = fix;
    const last = this.#fixes.at(-1);
    if (last && timestamp - Date.parse(last.fixTime) < LEAST_BETWEEN) this.#fixes.pop();
    this.#fixes.push(fix);
    if (this.#fixes.length > MOST_FIXES) this.#fixes.shift();
    if (wasDenied || this.time.now() - this.#reportedAt >= this.#interval) this.#report();
    this.#changed();
  }

  /** @param {GeolocationPositionError} error */
  #failed(error) {
    const state = error.code === 1 ? "denied" : this.latest ? this.state : "unavailable";
    const isNew = state !== this.state;
    this.state = state;
    // At once, so that the others learn the reason and do not think that the phone is lost.
    if (isNew && this.#reportedAt === -Infinity) this.#report();
    this.#changed();
  }

  /** @param {number} delay */
  #schedule(delay) {
    this.#cancel?.();
    this.#cancel = this.time.after(delay, () => this.#due());
  }

  /** It is time for a report. A phone that lies still may tell nothing by itself, so it is asked. */
  #due() {
    this.#schedule(this.#interval);
    if (this.#fixes.length || this.state === "denied" || !this.geolocation) return this.#report();
    const reportedAt = this.#reportedAt;
    this.geolocation.getCurrentPosition(
      (position) => {
        if (this.#watch === null) return;
        this.#found(position);
        if (this.#reportedAt === reportedAt) this.#report();
      },
      () => this.#watch !== null && this.#reportedAt === reportedAt && this.#report(),
      { enableHighAccuracy: true, maximumAge: 0, timeout: Math.min(10_000, this.#interval / 2) },
    );
  }

  /**
   * Whether places are kept here: the server does not know yet that a share is stopped, and would pass them on.
   * @param {boolean} is
   */
  hold(is) {
    const wasHeld = this.#isHeld;
    this.#isHeld = is;
    if (wasHeld && !is && this.#fixes.length) this.#report();
  }

  /** Tells at once what is known, with its true age: somebody else sees me from now on. */
  tell() {
    if (!this.latest) return this.wake();
    if (!this.#fixes.length) this.#fixes.push(this.latest);
    this.#report();
  }

  /** Finds out and tells at once where I am: the page is in sight again. */
  wake() {
    // Browsers end a watch that they refuse, and the person may have allowed it since.
    if (this.state === "denied") this.#look();
    else if (this.#watch !== null) this.#due();
  }

  async #report() {
    if (this.#isHeld) return this.#schedule(this.#interval);
    const fixes = this.#fixes;
    this.#fixes = [];
    this.#reportedAt = this.time.now();
    this.unsent += fixes.length;
    this.#schedule(this.#interval);
    try {
      const { intervalSeconds, shares } = await this.send(fixes);
      this.sentAt = this.time.now();
      this.refusal = "";
      // It may have been stopped meanwhile, and what no share has taken is told to nobody.
      if (this.#cancel && shares) this.#heard();
      this.#hear(intervalSeconds);
    } catch (error) {
      const { reason, message } = /** @type {{ reason?: string, message: string }} */ (error);
      // `me` says in a moment that another device reports; the rest is worth reading.
      if (reason !== "otherDevice" && reason !== "offline" && reason !== "lost") this.refusal = message;
    } finally {
      this.unsent -= fixes.length;
      this.#changed();
    }
  }

  /** @param {number | undefined} seconds */
  #hear(seconds) {
    const interval = Math.max(5, Math.min(60, seconds ?? 30)) * 1000;
    if (interval === this.#interval) return;
    this.#interval = interval;
    if (this.#cancel) this.#schedule(Math.max(0, this.#reportedAt + interval - this.time.now()));
  }

  /** @param {number | undefined} percent */
  setBattery(percent) {
    this.#battery = percent;
  }
}

const STARTED = "hearth-started";

/** The shares that were started in this tab: until the first report, nothing else says which device reports. */
function startedHere() {
  return (sessionStorage.getItem(STARTED) ?? "").split(" ").filter(Boolean);
}

/** Says that this browser has started a share, and is to report. @param {string} share */
export function begin(share) {
  const before = startedHere();
  if (!before.includes(share)) sessionStorage.setItem(STARTED, [...before, share].slice(-5).join(" "));
}

/**
 * My shares that the server knows, and that are not over. A report before would reach nobody; after it, receivers would
 * still learn where I am.
 * @param {Pick<MeState, "shares"> | null} me @param {Pick<Waiting, "method" | "params">[]} waiting
 * @param {Set<string>} [stopped] names of rooms @param {number} [now] 0 if the server says itself which ones are over
 */
export function running(me, waiting, stopped = new Set(), now = 0) {
  const unsent = new Set(waiting.filter(({ method }) => method === "shares.start").map(({ params }) => params?.id));
  return Object.entries(me?.shares ?? {}).filter(([id, { role, until }]) =>
    role === "sharer" && !unsent.has(id) && !stopped.has(`share/${id}`) && !(Date.parse(until) <= now)
  ).map(([id]) => id);
}

/**
 * Whether this browser reports.
 * @param {string[]} own my running shares @param {Pick<MeState, "reporter"> | null} me
 * @param {string | null | undefined} session @param {string[]} started
 * @returns {boolean | "elsewhere"}
 */
export function reports(own, me, session, started) {
  if (!own.length) return false;
  // It is empty after the last share.
  if (me?.reporter?.session) return me.reporter.session === session || "elsewhere";
  return own.some((id) => started.includes(id)) || "elsewhere";
}

/** @type {Reporter | null} */
let shared = null;

/**
 * The reporter of this page; from the first call on it follows what `me` says.
 * @param {Hearth} hearth
 */
export function start(hearth) {
  if (shared) return shared;
  const reporter = shared = new Reporter((fixes) => hearth.report(fixes), navigator.geolocation);
  const me = hearth.room("me");
  /** @type {string[]} */ let told = [];
  let wasOver = false;
  const follow = () => {
    /** Rooms of the shares that I have stopped, and whose receivers need not agree. @type {Set<string>} */
    const stopped = new Set();
    for (const { method, room, params } of hearth.waiting) {
      // The tab that has begun it may be gone, but the queue is this browser's own.
      if (method === "shares.start") begin(String(params.id));
      const isStop = method === "shares.stop";
      if (isStop && hearth.peek(/** @type {`share/${string}`} */ (room))?.share?.stop === "notify") stopped.add(room);
    }
    const now = me.status === "current" ? 0 : hearth.now();
    const own = hearth.me ? running(me.state, hearth.waiting, stopped, now) : [];
    const isNew = own.some((id) => !told.includes(id));
    told = own;
    const before = reporter.state;
    reporter.set(reports(own, me.state, hearth.session, startedHere()));
    reporter.hold(stopped.size > 0);
    // The receivers of the next share must not get the positions that were kept for those of the last one.
    const hasEnded = !wasOver;
    wasOver = Boolean(me.state) && !own.length;
    if (wasOver && hasEnded) hearth.dropFixes();
    // Receivers of a share that has just begun do not wait for the next report.
    if (isNew && before === "watching") reporter.tell();
  };
  let wasSilent = false;
  reporter.onChange(() => {
    // A browser that nobody has touched yet would only complain.
    if (reporter.isSilent && !wasSilent && navigator.userActivation?.hasBeenActive) {
      navigator.vibrate?.([300, 150, 300]);
    }
    wasSilent = reporter.isSilent;
    // Without a network nothing else tells that the time is over.
    follow();
  });
  me.onChange(follow);
  hearth.onChange(follow);
  document.addEventListener("visibilitychange", () => document.hidden || reporter.wake());
  navigator.permissions?.query({ name: "geolocation" }).then((permission) => {
    permission.addEventListener("change", () => reporter.state === "denied" && reporter.wake());
  }, () => {});
  // Only some browsers tell it.
  /** @type {any} */ (navigator).getBattery?.().then((/** @type {any} */ battery) => {
    const tell = () => reporter.setBattery(Math.round(battery.level * 100));
    battery.addEventListener("levelchange", tell);
    tell();
  }, () => {});
  follow();
  return reporter;
}
