import Foundation

/// Prints a line at once, also where standard output is a pipe.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Prints a line to standard error.
func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
