import Glibc
import Server

extension ProcessUsage {
  /// The usage of this process, from the kernel.
  static func now() -> ProcessUsage? {
    var usage = rusage()
    guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return nil }
    defer { unsafe fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 128)
    let count = unsafe fread(&buffer, 1, buffer.count, file)
    // In pages: total size, then resident size.
    let fields = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return ProcessUsage(
      residentBytes: pages * Int(sysconf(Int32(_SC_PAGESIZE))),
      cpu: .seconds(seconds) + .microseconds(microseconds))
  }
}
