// The words of trips, in German.

export default {
  "trip.now": "Gerade beim Einkaufen",
  "trip.youShop": "Du bist einkaufen",
  "trip.shops": "{name} ist einkaufen",
  "trip.unsettled": "{when}, noch nicht abgerechnet",
  "trip.started": "Die anderen wissen, dass du einkaufen gehst.",
  "trip.later": "Noch weiß es niemand. Es bleibt gespeichert und wird später gesendet.",
  "trip.tell": "Den anderen sagen, dass ich einkaufe",
  "trip.discard": "Doch nicht einkaufen",
  "trip.discarded": "Die anderen wissen, dass du nicht einkaufen gehst.",
  "trip.aboutStart": "Einkaufen gehen",
  "trip.aboutDiscard": "Nicht einkaufen gehen",
};
