// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "posts",
    platforms: [.macOS(.v13)],
    dependencies: [
        // Your copy of Portico.
        .package(name: "portico", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "Posts",
            dependencies: [
                .product(name: "Portico", package: "portico"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        )
    ]
)
