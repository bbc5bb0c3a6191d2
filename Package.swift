// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6 mode, no leaking imports, unsafe code marked.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .strictMemorySafety(),
]

// The order is the architecture: a target imports only targets above it.
let package = Package(
  name: "hearth",
  products: [
    .executable(name: "hearth", targets: ["hearth"]),
    .library(name: "HearthClient", targets: ["HearthClient"]),
    // Tests preload it into the server.
    .library(name: "SteeredClock", type: .dynamic, targets: ["SteeredClock"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Fuzzing runs with the address sanitizer, of which C targets are not told.
    .target(
      name: "CLinux", cSettings: Context.environment["HEARTH_FUZZ"] == nil ? [] : [.define("HEARTH_SANITIZED")]),
    // The files of the page for browsers.
    .target(name: "Web", exclude: ["app", "deno.json"]),
    .target(name: "Crypto", dependencies: ["COpenSSL"], swiftSettings: strict),
    .target(name: "HTTP", swiftSettings: strict),
    .target(name: "WebSocket", dependencies: ["CZlib", "Crypto", "HTTP"], swiftSettings: strict),
    .target(name: "JSON", swiftSettings: strict),
    .target(name: "Rooms", dependencies: ["Crypto", "JSON"], swiftSettings: strict),
    .target(name: "Home", dependencies: ["Crypto", "JSON", "Rooms"], swiftSettings: strict),
    .target(name: "Rehearsal", dependencies: ["JSON", "Rooms"], swiftSettings: strict),
    .target(name: "Platform", dependencies: ["Rooms"], swiftSettings: strict),
    .target(
      name: "Storage",
      dependencies: [
        "Crypto", "Rooms", "Platform", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .target(name: "Transport", dependencies: ["CLinux", "COpenSSL", "Platform", "Rooms"], swiftSettings: strict),
    .target(
      name: "Gateways", dependencies: ["CCurl", "COpenSSL", "Crypto", "Platform", "Rooms"], swiftSettings: strict),
    .target(
      name: "Server", dependencies: ["Crypto", "WebSocket", "HTTP", "JSON", "Rooms", "Home", "Platform"],
      swiftSettings: strict),
    .target(
      name: "HearthClient", dependencies: ["Crypto", "WebSocket", "HTTP", "JSON", "Rooms", "Platform", "Transport"],
      swiftSettings: strict),
    .target(
      name: "HearthCommand",
      dependencies: [
        "Crypto", "WebSocket", "HTTP", "JSON", "Rooms", "Rehearsal", "Home", "Platform", "Storage", "Transport",
        "Gateways", "Server", "HearthClient", "Web",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .executableTarget(name: "hearth", dependencies: ["HearthCommand"], swiftSettings: strict),
    // The load generator: an independent client, which shares only the codecs with the server.
    .executableTarget(
      name: "loadtest",
      dependencies: [
        "CLinux", "COpenSSL", "Crypto", "HTTP", "JSON", "WebSocket",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "loadtest", exclude: ["README.md", "benchmarks", "compare", "due.sh", "figures.svg", "peers", "run.sh"],
      swiftSettings: strict),
    // Benchmarks of single steps of the server.
    .executableTarget(
      name: "benchmarks",
      dependencies: ["Crypto", "WebSocket", "JSON", "Rooms", "Rehearsal", "Home", "Platform", "Server", "Storage"],
      path: "loadtest/benchmarks", exclude: ["instructions.tsv", "times.tsv"], swiftSettings: strict),

    // The whole server on a simulated clock, network and disk, and the program that runs it from seeds.
    .target(
      name: "Simulation",
      dependencies: [
        "Crypto", "HearthClient", "Home", "JSON", "Platform", "Rooms", "Server", "TestSupport", "WebSocket",
      ],
      path: "Tests/Simulation", exclude: ["plants"]),
    .executableTarget(
      name: "simulate",
      dependencies: ["JSON", "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/simulate"),

    // The fuzzing targets, and their kept inputs.
    .target(
      name: "Fuzzing",
      dependencies: ["HTTP", "HearthClient", "Home", "JSON", "Rooms", "Simulation", "TestSupport", "WebSocket"],
      path: "Tests/Fuzzing", exclude: ["corpora"]),

    // Helpers of several test targets.
    .target(
      name: "TestSupport", dependencies: ["COpenSSL", "Crypto", "JSON", "Platform", "Rooms"], path: "Tests/TestSupport",
      exclude: ["peers"]),
    // The server with crash points, for tests that end it at an exact step.
    .executableTarget(
      name: "hearth-under-test",
      dependencies: [
        "HearthCommand", "Platform", "Rooms", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/hearth-under-test"),
    // A library to preload into the server: tests steer its clocks.
    .target(name: "SteeredClock", path: "Tests/SteeredClock"),
    .testTarget(name: "CryptoTests", dependencies: ["Crypto", "TestSupport"]),
    .testTarget(name: "WebSocketTests", dependencies: ["HTTP", "TestSupport", "WebSocket"]),
    .testTarget(name: "HTTPTests", dependencies: ["HTTP"]),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"]),
    .testTarget(name: "RoomsTests", dependencies: ["JSON", "Rooms", "TestSupport"]),
    .testTarget(
      name: "HomeTests", dependencies: ["Crypto", "JSON", "Rooms", "Rehearsal", "Home", "TestSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "StorageTests",
      dependencies: [
        "Home", "JSON", "Platform", "Rooms", "Storage", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Formats"]),
    .testTarget(name: "TransportTests", dependencies: ["COpenSSL", "Platform", "TestSupport", "Transport"]),
    .testTarget(
      name: "GatewayTests", dependencies: ["Gateways", "JSON", "Platform", "Rooms", "TestSupport", "Transport"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Crypto", "HTTP", "JSON", "WebSocket", "Rooms", "Home", "Platform", "Storage", "Transport", "Server",
        "Gateways",
        "HearthClient", "HearthCommand", "TestSupport", "hearth", "hearth-under-test",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "HearthClientTests",
      dependencies: [
        "HTTP", "HearthClient", "JSON", "Platform", "Rooms", "TestSupport", "Transport", "WebSocket",
      ]),
    .testTarget(
      name: "CommandTests", dependencies: ["HearthClient", "HearthCommand", "JSON", "Rooms", "Server"]),
    .testTarget(
      name: "LoadTestTests",
      dependencies: ["JSON", "TestSupport", "loadtest", .product(name: "GRDB", package: "GRDB.swift")]),
    .testTarget(name: "FuzzingTests", dependencies: ["Fuzzing"]),
    .testTarget(name: "SimulationTests", dependencies: ["JSON", "Simulation"]),
    .testTarget(name: "RepositoryTests"),
  ],
  swiftLanguageModes: [.v6]
)

// libFuzzer links only if every target is compiled for it: `script/fuzz` does that.
if Context.environment["HEARTH_FUZZ"] != nil {
  package.targets.append(.executableTarget(name: "fuzz", dependencies: ["Fuzzing"], path: "Tests/fuzz"))
}

// The thread sanitizer is for targets with threads; `.ci/run` builds no others for it.
if Context.environment["HEARTH_THREADS"] != nil {
  let tests: Set = ["EndToEndTests", "StorageTests", "TransportTests"]
  let tools: Set = ["loadtest", "benchmarks", "Simulation", "simulate", "Fuzzing"]
  package.targets.removeAll { tools.contains($0.name) || $0.type == .test && !tests.contains($0.name) }
  // The suites in which loops, workers and the store meet, without those that wait for programs of their own, whose
  // reports would be lost.
  let suites = ["Backlog", "Client", "Durability", "Leaving", "RPC", "Session", "Share"].map { "\($0)Tests.swift" }
  let support = [
    "Accounts", "ClientWire", "HTTPCaller", "HTTPExchange", "Mailbox", "Member", "Program", "RawConnection", "RoomCopy",
    "SchemaCheck", "ServerProcess", "SteeredClock", "StoresInFront", "TestClient", "TestServer",
  ].map { "\($0).swift" }
  package.targets.first { $0.name == "EndToEndTests" }?.sources = suites + support
}
