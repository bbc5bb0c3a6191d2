import Foundation

/// Prints a line at once, also where standard output is a pipe.
func say(_ text: String) { print(text, to: .standardOutput) }

/// Prints a line to standard error.
func complain(_ text: String) { print(text, to: .standardError) }

/// Whoever listened may be gone; a server has better things to do than to die of that.
private func print(_ text: String, to file: FileHandle) { try? file.write(contentsOf: Data("\(text)\n".utf8)) }
