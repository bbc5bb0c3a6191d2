// The built-in chores, and the ways to find whose turn it is.

/** The built-in chores, the commonest first. */
export const ESSENTIALS = /** @type {const} */ ([
  "dishes",
  "trash",
  "vacuum",
  "bathroom",
  "kitchen",
  "laundry",
  "dishwasher",
  "recycling",
  "mop",
  "dust",
  "toilet",
  "fridge",
  "cooking",
  "shopping",
  "ironing",
  "beds",
  "windows",
  "plants",
  "pets",
  "mail",
]);
/** As the server knows them: what people choose most comes first. */
export const STRATEGIES = /** @type {const} */ ([
  "fixed",
  "roundRobin",
  "leastCompleted",
  "leastPoints",
  "random",
  "byWeekday",
  "open",
]);
