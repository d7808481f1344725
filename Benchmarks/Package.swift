// swift-tools-version:6.2
import PackageDescription

// A package of its own: nobody who depends on Portico fetches or builds it.
let package = Package(
    name: "portico-benchmarks",
    platforms: [.macOS(.v15)],
    targets: [
        .executableTarget(name: "Load", path: "Sources/Load")
    ]
)
