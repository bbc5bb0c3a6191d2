// The currency that is proposed for a new household.

/** European time zones of places that do not pay in euros, by currency. */
const NO_EURO = {
  GBP: "London Belfast Jersey Guernsey Isle_of_Man",
  CHF: "Zurich Vaduz",
  SEK: "Stockholm",
  NOK: "Oslo",
  DKK: "Copenhagen",
  PLN: "Warsaw",
  CZK: "Prague",
  HUF: "Budapest",
  RON: "Bucharest",
  RSD: "Belgrade",
  BAM: "Sarajevo",
  MKD: "Skopje",
  ALL: "Tirane",
  MDL: "Chisinau Tiraspol",
  UAH: "Kyiv Kiev Uzhgorod Zaporozhye",
  BYN: "Minsk",
  RUB: "Moscow Kaliningrad Samara Saratov Volgograd Ulyanovsk Astrakhan Kirov",
  TRY: "Istanbul",
  GIP: "Gibraltar",
};
/** Regions without the euro, where the time zone does not tell. @type {Record<string, string>} */
const REGIONS = {
  US: "USD",
  GB: "GBP",
  CH: "CHF",
  SE: "SEK",
  NO: "NOK",
  DK: "DKK",
  PL: "PLN",
  CZ: "CZK",
  JP: "JPY",
  CA: "CAD",
  AU: "AUD",
  IN: "INR",
};

/**
 * The usual currency where a device is. In Europe its time zone tells, since the region of a language is often another:
 * many devices in Berlin speak British English. Elsewhere the region tells. @param {string} zone @param {string} region
 */
export function likelyCurrency(zone, region) {
  const [, place] = zone.match(/^Europe\/(.+)/) ?? [];
  if (!place) return REGIONS[region] ?? "EUR";
  return Object.entries(NO_EURO).find(([, places]) => places.split(" ").includes(place))?.[0] ?? "EUR";
}
