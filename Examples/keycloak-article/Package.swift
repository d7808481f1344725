// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "offices",
    platforms: [.macOS(.v13)],
    dependencies: [
        // Your copy of Portico.
        .package(name: "portico", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Offices",
            dependencies: [.product(name: "Portico", package: "portico")]
        )
    ]
)
