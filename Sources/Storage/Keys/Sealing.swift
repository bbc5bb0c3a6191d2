internal import Crypto
internal import Rooms

/// The place of a sealed piece of content. It is bound to the bytes, so that none pass for others under the same key.
enum SealedPlace {
  case entry(version: Int64)
  case snapshot
  case live
  case segment(version: Int64)
  case history(kind: String, id: [UInt8])
  case message(source: RoomID, target: RoomID, number: Int64)

  fileprivate var bytes: [UInt8] {
    switch self {
    case .entry(let version): [1] + version.bytes
    case .snapshot: [2]
    // 3 was what a snapshot had beside it.
    case .live: [4]
    case .history(let kind, let id): [5] + id.count.bytes + id + Array(kind.utf8)
    case .message(let source, let target, let number):
      [6] + number.bytes + source.storageKey + target.storageKey
    case .segment(let version): [7] + version.bytes
    }
  }
}

extension FixedWidthInteger {
  fileprivate var bytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (Self.bitWidth - 8 - 8 * $0)) }
  }
}

/// The content of a row and the number of the key that it is sealed with; 0 if it is not sealed.
struct SealedBody {
  var key: Int64
  var bytes: [UInt8]
}

/// A key and the number that rows name it by.
struct SealingKey: Sendable {
  var number: Int64
  var bytes: [UInt8]

  static func draw() -> SealingKey {
    // Drawn, not counted: a number that a lost key file gave away never means another key.
    let number = SystemRandom.bytes(8).reduce(0) { $0 << 8 | Int64($1) } & .max
    return SealingKey(number: max(1, number), bytes: SystemRandom.bytes(AESGCM.keySize))
  }

  /// The nonce, the cipher text, its tag.
  ///
  /// The nonce is drawn. A counter would come again when somebody puts back an older copy of the files; 96 random bits
  /// do not come twice in the less than a million pieces that a day of sharing seals under one key.
  func seal(_ content: [UInt8], _ place: SealedPlace, of room: RoomID) throws -> [UInt8] {
    let nonce = SystemRandom.bytes(AESGCM.nonceSize)
    let sealed = try AESGCM.seal(content, key: bytes, nonce: nonce, associated: room.storageKey + place.bytes)
    return nonce + sealed
  }

  func open(_ sealed: [UInt8], _ place: SealedPlace, of room: RoomID) throws -> [UInt8] {
    guard sealed.count >= AESGCM.nonceSize + AESGCM.tagSize else { throw SQLiteFailure.unopenable }
    do {
      return try AESGCM.open(
        Array(sealed[AESGCM.nonceSize...]), key: bytes, nonce: Array(sealed[..<AESGCM.nonceSize]),
        associated: room.storageKey + place.bytes)
    } catch CryptoError.notAuthentic {
      throw SQLiteFailure.unopenable
    }
  }
}

extension RoomID {
  /// Everything of a share is sealed on disk (LOC-24).
  var isSealed: Bool {
    if case .share = self { true } else { false }
  }
}

extension SQLiteFailure {
  /// Sealed bytes are not what was sealed.
  static let unopenable = SQLiteFailure(code: 11, message: "a sealed row does not open with its key")
}
