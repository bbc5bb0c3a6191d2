import Fuzzing
import Glibc

/// The main function of libFuzzer's driver.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The target named by the variable FUZZ_TARGET.
private let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

/// Feeds one input to the target, under the name that libFuzzer's driver calls.
///
/// SwiftPM links that driver's main function into a debug build, and `Fuzz.main` into a release build.
@_cdecl("LLVMFuzzerTestOneInput")
public func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let target else {
    print("FUZZ_TARGET must be one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    exit(64)
  }
  do {
    try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  } catch {
    // libFuzzer keeps an input when the process ends on it.
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
