// The rota's turns of a week, worked out as the server does (ROT-2 to ROT-5).

import { daysAfter, daysBetween, isAway, isoWeek, mondayOf } from "./dates.js";

/** @import { HouseholdState } from "../hearth/types/documents.d.ts" */
/** @import { RotaVersion } from "./records.d.ts" */

/**
 * @typedef {object} Turn
 * @property {string} task
 * @property {string} name
 * @property {string | undefined} resident whose turn it is; undefined if the task is left out
 * @property {string | undefined} person who does it in fact
 * @property {boolean} isOpen the resident is not there, and nobody does it in their place
 * @property {boolean} isClaimed
 * @property {string | undefined} doneBy
 */

/** @param {number} a @param {number} n */
const remainder = (a, n) => ((a % n) + n) % n;

/** @param {HouseholdState | null} state @returns {[string, RotaVersion][]} */
const versions = (state) => Object.entries(state?.rota ?? {}).sort(([, a], [, b]) => a.fromWeek < b.fromWeek ? 1 : -1);

/** The newest version and its id; it may begin next week only. @param {HouseholdState | null} state */
export const newest = (state) => versions(state)[0];

/** After so many weeks the schedule starts over. @param {RotaVersion | undefined} version */
export const cycleOf = (version) => Math.max(version?.tasks.length ?? 0, version?.residents.length ?? 0, 1);

/** The number of a week: from the start, or in its year. @param {RotaVersion} version @param {string} week */
function numberOf({ restart, startWeek, fromWeek }, week) {
  if (restart !== "never") return isoWeek(week) - 1;
  return Math.floor(daysBetween(mondayOf(startWeek ?? fromWeek), week) / 7);
}

/**
 * The member who takes a turn: it is due on the week's Sunday.
 * @param {HouseholdState} state @param {string} resident @param {string} week
 */
function doer(state, resident, week) {
  const members = state.members ?? {};
  const due = daysAfter(week, 6);
  if (!isAway(members[resident], due)) return resident in members ? resident : undefined;
  const guest = Object.keys(members).filter((one) => members[one]?.guestOf === resident).sort()[0];
  const chosen = members[resident]?.away?.delegate ?? guest;
  return chosen && chosen in members && !isAway(members[chosen], due) ? chosen : undefined;
}

/**
 * The turns of a week, in the order of the tasks.
 * @param {HouseholdState | null} state @param {string} week its Monday
 */
export function turns(state, week) {
  const version = versions(state).find(([, one]) => one.fromWeek <= week)?.[1];
  if (!state || !version) return [];
  const marks = state.rotaWeeks?.[week];
  return version.tasks.map((task, at) => {
    const resident = version.residents[remainder(at - numberOf(version, week), cycleOf(version))];
    const claimer = marks?.claims?.[task];
    const person = claimer ?? (resident && doer(state, resident, week));
    /** @type {Turn} */
    const turn = {
      task,
      name: state.rotaTasks?.[task]?.name ?? "",
      resident,
      person,
      isOpen: Boolean(resident && !person),
      isClaimed: Boolean(claimer),
      doneBy: marks?.doneBy?.[task],
    };
    return turn;
  });
}
