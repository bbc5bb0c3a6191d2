import Foundation

// Unicode normal forms are the system library's.
extension String {
  /// In the normal form C: letters and their marks composed.
  var composed: String { precomposedStringWithCanonicalMapping }

  /// In the normal form KC: composed, and ligatures, widths and other variants replaced by what they stand for.
  var compatible: String { precomposedStringWithCompatibilityMapping }
}
