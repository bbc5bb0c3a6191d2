import Foundation
import Glibc

/// Prints a line at once, even if standard output is a pipe.
func say(_ text: String) { print(text, to: .standardOutput) }

/// Writes text to standard output as it is.
func put(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

/// Prints a line to standard error.
func complain(_ text: String) { print(text, to: .standardError) }

/// The size of the terminal's window.
struct TerminalSize {
  var columns = 80
  var rows = 24

  /// The size at this moment, or 80 by 24 where the terminal does not tell.
  static var now: TerminalSize {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize()
    }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}

/// Asks a question and reads one line; `nil` at the end of standard input.
func ask(_ question: String) -> String? {
  if isatty(STDIN_FILENO) == 1 { prompt(question) }
  return readLine()?.trimmingCharacters(in: .whitespaces)
}

/// Asks for a secret, which the terminal does not show.
func askSecretly(_ question: String) -> String? {
  var before = termios()
  guard isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &before) == 0 else { return readLine() }
  prompt(question)
  var silent = before
  silent.c_lflag &= ~tcflag_t(ECHO)
  unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
  defer {
    unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    complain("")
  }
  return readLine()
}

private func prompt(_ question: String) { try? FileHandle.standardError.write(contentsOf: Data(question.utf8)) }

/// Ignores errors: a server must not die because the reader of its output is gone.
private func print(_ text: String, to file: FileHandle) { try? file.write(contentsOf: Data("\(text)\n".utf8)) }
