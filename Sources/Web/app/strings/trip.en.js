// The words of trips, in English.

export default {
  "trip.now": "Shopping now",
  "trip.youShop": "You are shopping",
  "trip.shops": "{name} is shopping",
  "trip.unsettled": "{when}, not checked out yet",
  "trip.started": "The others know that you go shopping.",
  "trip.later": "Nobody knows yet. It is kept and sent later.",
  "trip.tell": "Tell the others that I go shopping",
  "trip.discard": "Not shopping after all",
  "trip.discarded": "The others know that you do not go shopping.",
  "trip.aboutStart": "Going shopping",
  "trip.aboutDiscard": "Not going shopping",
};
