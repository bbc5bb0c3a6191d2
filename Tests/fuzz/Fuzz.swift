import Fuzzing
import Glibc

/// libFuzzer's own: its main program, as a function.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// What the variable FUZZ_TARGET names.
private let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

/// Feeds one input, under the name that libFuzzer's main program knows: SwiftPM links that one into a debug build, and
/// ours into a release.
@_cdecl("LLVMFuzzerTestOneInput")
public func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let target else {
    print("FUZZ_TARGET is one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    exit(64)
  }
  do {
    try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  } catch {
    // libFuzzer keeps inputs at which the process ends.
    print("wrong: \(error)")
    fflush(nil)
    abort()
  }
}

/// Runs libFuzzer on one target, as `script/fuzz` does.
@main
struct Fuzz {
  static func main() {
    let count = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    count.pointee = CommandLine.argc
    let arguments = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>.allocate(capacity: 1)
    arguments.pointee = CommandLine.unsafeArgv
    exit(runDriver(count, arguments, feed))
  }
}
