// Die ersten Schritte, auf Deutsch.

export default {
  "tour.title": "Erste Schritte",
  "tour.home": "Oben steht, was dich heute angeht. Darunter ist die Pinnwand: Was dort hängt, erreicht alle zuhause.",
  "tour.shopping": "Eine Liste für euch alle, auch im Keller: Was du ohne Netz einträgst, wird später gesendet. " +
    "„Ich gehe einkaufen“ sagt es den anderen, und zeigt sie groß, für eine Hand.",
  "tour.chores": "Was zuerst fällig ist, steht oben. Ein Tipp auf den Ring: erledigt. Alle kommen gerecht dran.",
  "tour.money": "Was jemand für alle bezahlt, wird hier geteilt, und man sieht immer, wer wie viel schuldet.",
  "tour.out": "Zeige Leuten, die du aussuchst, dass du unterwegs bist, so lange du willst. Sonst sieht dich niemand, " +
    "und nichts wird aufbewahrt.",
  "tour.install": "Behalte Hearth auf diesem Gerät: Es öffnet sich wie jede andere App, auch ohne Netz.",
  "tour.installByHand":
    "Behalte Hearth auf diesem Gerät: Tippe in Safari auf „Teilen“, dann auf „Zum Home-Bildschirm“. Dann " +
    "bleiben deine Listen, auch wenn du wochenlang nicht hier bist.",
  "tour.installNow": "Installieren",
  "tour.notNow": "Jetzt nicht",
  "tour.done": "Alles klar",
  "tour.skip": "Keine Tipps",
  "tour.about": "Einen Tipp weglegen",
};
