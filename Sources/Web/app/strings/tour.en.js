// The first steps, in English.

export default {
  "tour.title": "First steps",
  "tour.home": "What concerns you today stands on top. Below is the board: a note there reaches everybody at home.",
  "tour.shopping": "One list for all of you, in the cellar, too: what you add without a network is sent later. " +
    "“In the shop” makes it large for one hand.",
  "tour.out":
    "Show the people you choose that you are on the way, for as long as you say. Nobody sees you otherwise, " +
    "and nothing is kept.",
  "tour.install": "Keep Hearth on this device: it opens like any other app, without a network, too.",
  "tour.installByHand":
    "Keep Hearth on this device: tap Share in Safari, then “Add to Home Screen”. It opens like any other app, " +
    "and your lists stay, even if you are not here for weeks.",
  "tour.installNow": "Install",
  "tour.notNow": "Not now",
  "tour.done": "Got it",
  "tour.skip": "Skip all tips",
  "tour.about": "Put a tip away",
};
