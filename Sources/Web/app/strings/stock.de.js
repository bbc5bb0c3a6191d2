// Die Worte der Vorräte, auf Deutsch.

export default {
  "stock.title": "Vorräte",
  "stock.empty": "Was nie ausgehen soll, steht hier. Was fehlt, kommt von selbst auf die Liste.",
  "stock.all": "Alles ist da.",
  "stock.out.n": { one: "{n} Sache fehlt.", other: "{n} Sachen fehlen." },
  "stock.low.n": { one: "{n} geht zur Neige.", other: "{n} gehen zur Neige." },
  "stock.in": "Da",
  "stock.low": "Wenig",
  "stock.out": "Leer",
  "stock.said.in": "{name}: Es ist genug da.",
  "stock.said.low": "{name} geht zur Neige.",
  "stock.said.out": "{name} fehlt und steht auf der Einkaufsliste.",
  "stock.new": "Vorrat hinzufügen",
  "stock.newText": "Jeder sagt, wie viel noch da ist. Was fehlt, kommt auf die Einkaufsliste.",
  "stock.name": "Was soll nie ausgehen?",
  "stock.add": "Hinzufügen",
  "stock.added": "{name} steht bei den Vorräten.",
  "stock.known": "Von der Einkaufsliste",
  "stock.remove": "{name} nicht mehr beobachten",
  "stock.removed": "{name} steht nicht mehr bei den Vorräten.",
};
