// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that whoever builds Hearth does not build its benchmarks.
let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "hearth", path: "../..")],
  targets: [
    .executableTarget(
      name: "benchmarks", dependencies: [.product(name: "HearthParts", package: "hearth")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"), .strictMemorySafety(),
      ])
  ],
  swiftLanguageModes: [.v6]
)
