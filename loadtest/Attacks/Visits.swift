/// RELIABILITY E9: clients that connect, proceed to some point and leave at once must leave nothing behind.
extension AttackSettings {
  var visits: [Attack.Variant] {
    [Attack.Entry.connected, .secured, .upgraded, .member].flatMap { entry in
      [false, true].map { vanishes in
        Attack.Variant(
          name: "\(entry), \(vanishes ? "reset" : "closed")", entry: entry, script: Attack.Script(), ending: .admitted,
          vanishes: vanishes)
      }
    }
  }
}
