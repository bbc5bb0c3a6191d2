// Whether receivers of my position see nothing of me; also for screens that do without the reporter.

import { isCutOff } from "./connection.js";
import { signal } from "./signal.js";

/** Whether this browser does not tell where I am, although I share it. */
export const isDenied = signal(false);
/** Whether the others have heard nothing of me for long, and whether they have been told of it. */
export const silence = signal(/** @type {"" | "silent" | "told"} */ (""));

/** The key of the words about a silence. */
export const silentKey = () => silence.get() === "told" ? "silentTold" : isCutOff.get() ? "silentOffline" : "silent";
