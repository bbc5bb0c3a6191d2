extension Walk {
  /// The kinds of tracks; each seed gives another way with the same troubles.
  public static let kinds: [@Sendable (UInt64) -> Track] = [
    // MARK: places
    { seed in plain("open sky", seed) { _ in } },
    { seed in plain("between houses: accuracies of 10 to 40 m", seed) { $0.accuracy = 10...40 } },
    { seed in
      plain("beside tall houses: reflections of 60 to 150 m", seed, metres: 2000) {
        $0.accuracy = 8...30
        $0.reflections = [200..<260, 400..<440, 700..<760]
      }
    },
    { seed in
      plain("cells only for 10 min: accuracies of 1.2 to 3 km", seed) { $0.vague = [0..<600] }
    },
    { seed in jumping(seed) },
    { seed in jumpingHome(seed) },
    { seed in nextDoor(seed) },
    { seed in drivingPast(seed) },
    { seed in loop(seed) },
    { seed in train(seed) },

    // MARK: gaps
    { seed in underground("a tunnel of 2 min: neither fixes nor network", seed, seconds: 120, losses: []) },
    { seed in underground("a tunnel of 8 min: neither fixes nor network", seed, seconds: 480, losses: ["noContact"]) },
    { seed in
      var track = plain("no network for 8 min, then all fixes in one report", seed) { $0.offline = [300..<785] }
      (track.losses, track.returnCount) = (["noContact"], 1)
      return track
    },
    { seed in
      var track = plain("no fixes for 6 min, with network", seed) { $0.hidden = [300..<660] }
      (track.losses, track.returnCount) = (["noFix"], 1)
      return track
    },
    { seed in charged(seed) },
    { seed in
      var track = plain("the phone dies on the way, for good", seed) { $0.dead = [400..<1e9] }
      (track.losses, track.arrives) = (["noContact"], false)
      return track
    },

    // MARK: clocks
    { seed in plain("a clock two days ahead", seed) { $0.clock = { _ in 2 * 86_400 } } },
    { seed in plain("a clock three hours behind", seed) { $0.clock = { _ in -3 * 3600 } } },
    { seed in plain("a clock two days ahead, set right on the way", seed) { $0.clock = { $0 < 500 ? 2 * 86_400 : 0 } }
    },
    { seed in plain("a clock that loses a second a minute", seed) { $0.clock = { -$0 / 60 } } },
    { seed in plain("a receiver that has lost 1,024 weeks", seed) { $0.receiver = -1024 * 7 * 86_400 } },

    // MARK: reports
    { seed in
      var walk = walk(seed, metres: 1500)
      walk.offline = [200..<395, 600..<785]
      var track = walk.track("reports whose fixes are in any order")
      for index in track.uploads.indices { walk.shuffle(&track.uploads[index].fixes) }
      (track.losses, track.returnCount) = (["noContact", "noContact"], 2)
      return track
    },
    { seed in
      var track = plain("each report twice, and the fixes of two minutes before again", seed) { _ in }
      track.uploads = track.uploads.indices.flatMap { index in
        let (now, before) = (track.uploads[index], track.uploads[max(0, index - 4)])
        return [
          now, Track.Upload(at: now.at + 2, sentAt: now.sentAt, fixes: now.fixes),
          Track.Upload(at: now.at + 5, sentAt: now.sentAt + 5, fixes: before.fixes),
        ]
      }
      return track
    },
    { seed in
      var track = plain("every other report is overtaken by the next", seed) { _ in }
      for index in stride(from: 1, to: track.uploads.count, by: 2) {
        var late = track.uploads[index - 1]
        late.at = track.uploads[index].at + 1
        (track.uploads[index - 1], track.uploads[index]) = (track.uploads[index], late)
      }
      return track
    },
    { seed in everything(seed) },
  ]

  /// A way of so many metres, and five minutes at the place.
  private static func walk(_ seed: UInt64, metres: Double) -> Walk {
    var walk = Walk(seed: seed)
    walk.begin(metres)
    walk.go()
    walk.stay(300)
    return walk
  }

  private static func plain(
    _ name: String, _ seed: UInt64, metres: Double = 1500, _ change: (inout Walk) -> Void
  ) -> Track {
    var walk = walk(seed, metres: metres)
    change(&walk)
    return walk.track(name)
  }

  private static func jumping(_ seed: UInt64) -> Track {
    plain("three fixes 3 to 9 km off", seed) { walk in
      walk.reportEvery = 10
      walk.jumps = [120, 300, 500].map { at in
        let point = walk.point(at: walk.draw(3000...9000))
        return (at, 1, point.east, point.north)
      }
    }
  }

  private static func jumpingHome(_ seed: UInt64) -> Track {
    plain("two fixes at the place, 2 km before it, twice", seed, metres: 3000) { walk in
      walk.reportEvery = 10
      walk.jumps = [(200, 2, 5, 10), (500, 2, -20, 5)]
    }
  }

  private static func nextDoor(_ seed: UInt64) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(1000)
    let door = walk.towardsHere(150)
    walk.go(toEast: door.east, north: door.north)
    walk.stay(900)
    walk.go()
    walk.stay(300)
    walk.accuracy = 5...15
    return walk.track("waits 150 m from the place for 15 min")
  }

  private static func drivingPast(_ seed: UInt64) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(3000)
    let beyond = walk.point(at: 1500)
    // Through the place in less than seven seconds.
    walk.go(speed: 30)
    walk.go(toEast: beyond.east, north: beyond.north, speed: 30)
    walk.stay(120)
    walk.go()
    walk.stay(300)
    return walk.track("drives through the place at 30 m/s, and walks back")
  }

  private static func loop(_ seed: UInt64) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(10)
    let turn = walk.point(at: 700)
    walk.stay(120)
    walk.go(toEast: turn.east, north: turn.north)
    walk.go()
    walk.stay(300)
    return walk.track("from the place and back to it")
  }

  private static func train(_ seed: UInt64) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(90_000)
    let station = walk.point(at: 900)
    walk.go(toEast: station.east, north: station.north, speed: 80)
    walk.go()
    walk.stay(300)
    return walk.track("a train at 80 m/s, then a walk")
  }

  private static func underground(_ name: String, _ seed: UInt64, seconds: Double, losses: [String]) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(600 + 15 * seconds)
    walk.stay(60)
    let exit = walk.towardsHere(600)
    let end = walk.go(toEast: exit.east, north: exit.north, speed: walk.distance(to: exit) / seconds)
    walk.go()
    walk.stay(300)
    walk.hidden = [65..<end]
    walk.offline = walk.hidden
    var track = walk.track(name)
    (track.losses, track.returnCount) = (losses, losses.count)
    return track
  }

  private static func charged(_ seed: UInt64) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(1500)
    let home = walk.go()
    walk.stay(1200)
    walk.dead = [home - 300..<home + 600]
    var track = walk.track("the phone dies on the way, and is charged at the place")
    (track.losses, track.returnCount, track.reachableFrom) = (["noContact"], 1, home + 610)
    return track
  }

  private static func everything(_ seed: UInt64) -> Track {
    var walk = Walk(seed: seed)
    walk.begin(3000)
    walk.go()
    walk.stay(300)
    walk.accuracy = 8...30
    walk.reflections = [150..<190]
    walk.jumps = [(250, 1, 4000, -3000), (1200, 2, 0, 10)]
    walk.offline = [400..<890]
    walk.hidden = [500..<560]
    walk.clock = { -3 * 3600 - $0 / 100 }
    walk.receiver = -1024 * 7 * 86_400
    var track = walk.track("all of it: houses, a jump, no network, a wrong clock, lost weeks, any order")
    for index in track.uploads.indices { walk.shuffle(&track.uploads[index].fixes) }
    (track.losses, track.returnCount) = (["noContact"], 1)
    return track
  }
}
