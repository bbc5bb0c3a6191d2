/// The plan of all weeks, computed from a version of the rota (ROT-2): nothing of it is stored.
///
/// With n, the greater of the numbers of tasks and residents, resident i does task (i + w) mod n in week w. If there
/// is no such task, their week is free; if there is no such resident, the task is left out. So in n weeks each resident
/// does each task exactly once.
struct RotaSchedule: Equatable {
  let tasks: Int
  let residents: Int
  /// The Monday from which an endless rota counts its weeks; `nil` for one that starts over with each year.
  let start: LocalDay?

  /// The number of weeks after which the schedule starts over.
  var cycle: Int { max(tasks, residents, 1) }

  /// The number of a week: from the start, or in its year by ISO 8601, from 0 on (ROT-3).
  func number(of week: LocalDay) -> Int {
    start.map { $0.monday.days(to: week.monday).floored(by: 7) } ?? week.isoWeek.week - 1
  }

  /// The index of the task that a resident does in a week; `nil` in a free week.
  func task(of resident: Int, in week: LocalDay) -> Int? {
    let task = (resident + number(of: week)).remainder(by: cycle)
    return task < tasks ? task : nil
  }

  /// The index of the resident whose turn a task is in a week; `nil` if it is left out.
  func resident(for task: Int, in week: LocalDay) -> Int? {
    let resident = (task - number(of: week)).remainder(by: cycle)
    return resident < residents ? resident : nil
  }
}
