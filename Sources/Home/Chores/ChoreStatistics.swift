import JSON
import Rooms

/// Counts how often each member has done each chore in a time (STA-1, STA-2).
struct CountChores: Question {
  static let method: StaticString = "chores.statistics"
  static let summary: StaticString = "Counts how often each member has done each chore in a time (STA-1, STA-2)."
  /// The first day, and the day after the last, of the household's calendar.
  var from = LocalDay()
  var to = LocalDay()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> ChoreCounts {
    if to <= from { throw .invalid("to", "must be after `from`") }
    if from.days(to: to) > Limits.statisticsDays {
      throw .invalid("to", "must be at most \(Limits.statisticsDays) days after `from`")
    }
    return home.chores.counts(from: from, to: to)
  }
}

struct ChoreCounts: Record {
  /// By person; former members are among them.
  var people: SmallMap<ID<Person>, PersonCounts> = [:]
  /// The chores that are counted.
  var tasks: SmallMap<ID<ChoreName>, ChoreTitle> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("people", \.people)
    field("tasks", \.tasks)
  }
}

struct PersonCounts: Record {
  var done = 0
  var points = 0
  /// By chore.
  var tasks: SmallMap<ID<ChoreName>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("done", \.done)
    field("points", \.points)
    field("tasks", \.tasks)
  }
}

struct ChoreTitle: Record {
  var name = ""
  var essential: Essential?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("essential", \.essential)
  }
}

extension Chores {
  fileprivate func counts(from: LocalDay, to: LocalDay) -> ChoreCounts {
    var counts = ChoreCounts()
    for (task, tally) in tallies {
      for (person, own) in tally.people {
        var (done, sum) = (0, 0)
        own.forEach(from: from, to: to) { _, points in
          done += 1
          sum += points
        }
        if done == 0 { continue }
        var row = counts.people[person] ?? PersonCounts()
        row.done += done
        row.points += sum
        row.tasks[task] = done
        counts.people[person] = row
        counts.tasks[task] = catalogue[task].map { ChoreTitle(name: $0.name, essential: $0.essential) } ?? ChoreTitle()
      }
    }
    return counts
  }
}

/// Adds up the points and completions of a year, month by month (STA-5).
struct ScoreChores: Question {
  static let method: StaticString = "chores.score"
  static let summary: StaticString = "Adds up the points and completions of a year, month by month (STA-5)."
  var year = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("year", \.year, 2000...9999) }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> ChoreScore {
    let today = home.zone.day(at: inquiry.now)
    var score = ChoreScore()
    let (first, last) = (LocalDay(year: year, month: 1, day: 1), LocalDay(year: year + 1, month: 1, day: 1))
    for tally in home.chores.tallies.values {
      for (person, own) in tally.people {
        own.forEach(from: first, to: last) { name, points in
          var month = score.months[name] ?? MonthScore()
          var row = month.people[person] ?? PersonScore()
          row.done += 1
          row.points += points
          month.people[person] = row
          score.months[name] = month
        }
      }
    }
    for month in score.months.keys.sorted() {
      guard let first = LocalDay("\(month)-01") else { continue }
      let end = LocalDay(monthNumber: first.monthNumber + 1, day: 1).adding(Limits.scoreDays)
      if end <= today { score.months[month]?.isFinal = true }
    }
    return score
  }
}

struct ChoreScore: Record {
  /// By month, `YYYY-MM`; those in which nothing was done are left out.
  var months: SmallMap<String, MonthScore> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("months", \.months) }
}

struct MonthScore: Record {
  var people: SmallMap<ID<Person>, PersonScore> = [:]
  /// Nothing changes it any longer: no completion can be dated back so far.
  var isFinal: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("people", \.people)
    field("final", \.isFinal)
  }
}

struct PersonScore: Record {
  var done = 0
  var points = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("done", \.done)
    field("points", \.points)
  }
}
