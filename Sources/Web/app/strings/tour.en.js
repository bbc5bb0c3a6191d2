// The first steps, in English.

export default {
  "tour.title": "First steps",
  "tour.home": "What concerns you today stands on top. Below is the board: a note there reaches everybody at home.",
  "tour.shopping": "One list for all of you, in the cellar, too: what you add without a network is sent later. " +
    "“I'm going shopping” tells the others, and makes it large for one hand.",
  "tour.chores": "The chore that is due first is on top. A tap on the ring: done. Turns are kept fairly.",
  "tour.money": "What one of you pays for all is divided here, and who owes how much is always in sight.",
  "tour.out": "Show people of your choice that you are on the way, for as long as you say. Nobody else sees you.",
  "tour.install": "Keep Hearth on this device: it opens like any other app, without a network, too.",
  "tour.installByHand":
    "Keep Hearth on this device: tap Share in Safari, then “Add to Home Screen”. Your lists then stay, " +
    "even if you are away for weeks.",
  "tour.installNow": "Install",
  "tour.notNow": "Not now",
  "tour.done": "Got it",
  "tour.skip": "Skip all tips",
  "tour.about": "Put a tip away",
};
