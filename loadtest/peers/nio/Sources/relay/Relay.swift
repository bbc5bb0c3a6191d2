import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A relay on SwiftNIO with one event loop: a member's message goes to all members of the room, including the sender.
@main
enum Relay {
  static func main() throws {
    guard let port = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else {
      fatalError("usage: relay PORT")
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let rooms = try loop.submit { NIOLoopBound(Rooms(loop), eventLoop: loop) }.wait()
    let server = try ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        let upgrader = NIOWebSocketServerUpgrader(
          maxFrameSize: 64 * 1024,
          shouldUpgrade: { channel, head in
            channel.eventLoop.makeSucceededFuture(head.uri.hasPrefix("/room/") ? [:] : nil)
          },
          upgradePipelineHandler: { channel, head in
            channel.eventLoop.makeCompletedFuture {
              let member = Member(rooms.value.room(named: head.uri), rooms.value)
              try channel.pipeline.syncOperations.addHandler(member)
            }
          })
        return channel.pipeline.configureHTTPServerPipeline(
          withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
      }
      .bind(host: "127.0.0.1", port: port).wait()
    try server.closeFuture.wait()
  }
}

/// The members of a room. Like everything here, used only on the event loop.
final class Room {
  var members: [Member] = []
}

/// All rooms, and the members with output to flush, once per turn of the loop.
final class Rooms {
  private let loop: any EventLoop
  private var rooms: [String: Room] = [:]
  private var dirty: [Member] = []

  init(_ loop: any EventLoop) { self.loop = loop }

  func room(named name: String) -> Room {
    if let room = rooms[name] { return room }
    let room = Room()
    rooms[name] = room
    return room
  }

  func markDirty(_ member: Member) {
    dirty.append(member)
    guard dirty.count == 1 else { return }
    // Runs when all sockets of this turn have been read.
    loop.assumeIsolated().execute { [self] in
      for member in dirty { member.flush() }
      dirty.removeAll(keepingCapacity: true)
    }
  }
}

final class Member: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  private let room: Room
  private let rooms: Rooms
  /// The place in the pipeline that takes encoded frames: a frame for many members is encoded once.
  private var encoder: ChannelHandlerContext?
  /// The output of this turn for the member: one buffer costs the pipeline less than many.
  private var output = ByteBuffer()

  init(_ room: Room, _ rooms: Rooms) {
    self.room = room
    self.rooms = rooms
  }

  func handlerAdded(context: ChannelHandlerContext) {
    encoder = try? context.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self)
    room.members.append(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    encoder = nil
    room.members.removeAll { $0 === self }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      let message = Self.encode(.text, frame.unmaskedData, context.channel.allocator)
      for member in room.members { member.write(message) }
    case .ping: write(Self.encode(.pong, frame.unmaskedData, context.channel.allocator))
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  /// Encodes a server's frame: final, without a mask (RFC 6455 §5.2).
  private static func encode(
    _ opcode: WebSocketOpcode, _ payload: ByteBuffer, _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    var frame = allocator.buffer(capacity: payload.readableBytes + 10)
    frame.writeInteger(UInt8(0x80) | UInt8(webSocketOpcode: opcode))
    switch payload.readableBytes {
    case ..<126: frame.writeInteger(UInt8(payload.readableBytes))
    case ...0xFFFF: frame.writeMultipleIntegers(UInt8(126), UInt16(payload.readableBytes))
    default: frame.writeMultipleIntegers(UInt8(127), UInt64(payload.readableBytes))
    }
    frame.writeImmutableBuffer(payload)
    return frame
  }

  private func write(_ frame: ByteBuffer) {
    if output.readableBytes == 0 { rooms.markDirty(self) }
    output.writeImmutableBuffer(frame)
  }

  func flush() {
    encoder?.writeAndFlush(NIOAny(output), promise: nil)
    output = ByteBuffer()
  }

  /// Handles resets by clients that are gone.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
