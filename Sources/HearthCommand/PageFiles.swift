import Foundation
import Platform
import Server
import Web

/// The files of the page: those in this program, or those of a folder, for people who work on the page.
enum PageFiles {
  /// The page that this program holds. It is prepared while the server starts: only a request in that time waits.
  static func prepared(_ mapTiles: MapTiles?) -> @Sendable () -> WebApp {
    let last = Locked<WebApp?>(nil)
    let page: @Sendable () -> WebApp = {
      last.withLock { last in
        let app = last ?? WebApp(files: embedded, mapTiles: mapTiles)
        last = app
        return app
      }
    }
    Thread.detachNewThread { _ = page() }
    return page
  }

  static var embedded: [WebFile] {
    (0..<web_file_count()).map { index in
      // The table and what it points to are constants of the program.
      let file = unsafe web_file_at(index).pointee
      return unsafe WebFile(
        path: String(cString: file.path), bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }
  }

  /// The page in a folder, as it is when it is asked for: a change shows with the next reload.
  static func watching(_ folder: String, _ mapTiles: MapTiles?) -> @Sendable () -> WebApp {
    let root = URL(filePath: folder).standardizedFileURL
    let last = Locked<(files: [FileStamp], app: WebApp)?>(nil)
    return {
      let found = stamps(in: root)
      return last.withLock { last in
        if let last, last.files == found { return last.app }
        let app = WebApp(files: found.compactMap { read($0, in: root) }, mapTiles: mapTiles)
        last = (found, app)
        return app
      }
    }
  }

  /// A file of a folder, and when it was last changed.
  private struct FileStamp: Equatable {
    let path: String
    let changedAt: Date?
  }

  private static func stamps(in root: URL) -> [FileStamp] {
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .contentModificationDateKey]
    let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: Array(keys))
    var stamps: [FileStamp] = []
    while let url = found?.nextObject() as? URL {
      guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
      let path = url.standardizedFileURL.path.dropFirst(root.path.count + 1)
      stamps.append(FileStamp(path: String(path), changedAt: values.contentModificationDate))
    }
    return stamps.sorted { $0.path < $1.path }
  }

  private static func read(_ file: FileStamp, in root: URL) -> WebFile? {
    (try? Data(contentsOf: root.appending(path: file.path))).map { WebFile(path: file.path, bytes: Array($0)) }
  }
}
