// The words of the supplies, in English.

export default {
  "stock.title": "Supplies",
  "stock.empty": "What should never run out is watched here. What is out goes on the list by itself.",
  "stock.all": "Everything is there.",
  "stock.out.n": { one: "{n} thing is out.", other: "{n} things are out." },
  "stock.low.n": { one: "{n} is running low.", other: "{n} are running low." },
  "stock.in": "There",
  "stock.low": "Low",
  "stock.out": "Out",
  "stock.said.in": "{name}: there is enough.",
  "stock.said.low": "{name} is running low.",
  "stock.said.out": "{name} is out, and on the shopping list.",
  "stock.new": "Add a supply",
  "stock.newText": "Anybody says how much is left. What is out goes on the shopping list.",
  "stock.name": "What should never run out?",
  "stock.add": "Watch it",
  "stock.added": "{name} is watched.",
  "stock.known": "From the shopping list",
  "stock.remove": "Watch {name} no longer",
  "stock.removed": "{name} is no longer watched.",
};
