// swift-tools-version:6.2
import PackageDescription

// An app as others write it: no traits, and so nothing that only a server needs. `scripts/consumer` builds it, and looks at what was fetched, built and linked.
// The documents take their Swift from here, so that what they show compiles.

let package = Package(
    name: "shop-app",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    dependencies: [
        .package(name: "portico", path: "../.."),
        // Only for an app that sends requests with `session.http`.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "ShopApp",
            dependencies: [
                .product(name: "Portico", package: "portico"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
