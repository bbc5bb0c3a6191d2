import HearthCommand

@main
enum Main {
  static func main() async { await runHearth() }
}
