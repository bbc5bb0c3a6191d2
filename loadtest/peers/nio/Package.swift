// swift-tools-version: 6.2
import PackageDescription

// A package of its own: whoever builds Hearth does not resolve SwiftNIO.
let package = Package(
  name: "relay",
  dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.101.2")],
  targets: [
    .executableTarget(
      name: "relay",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
