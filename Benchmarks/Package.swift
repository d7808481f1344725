// swift-tools-version:6.2
import PackageDescription

// A package of its own: nobody who depends on Portico fetches or builds it.
let package = Package(
    name: "portico-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0")
    ],
    targets: [
        .executableTarget(
            name: "Load",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/Load"
        )
    ]
)
