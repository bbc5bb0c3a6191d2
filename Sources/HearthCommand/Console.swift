import Foundation

/// Prints a line at once, even if standard output is a pipe.
func say(_ text: String) { print(text, to: .standardOutput) }

/// Prints a line to standard error.
func complain(_ text: String) { print(text, to: .standardError) }

/// Ignores errors: a server must not die because the reader of its output is gone.
private func print(_ text: String, to file: FileHandle) { try? file.write(contentsOf: Data("\(text)\n".utf8)) }
