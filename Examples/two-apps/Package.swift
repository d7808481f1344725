// swift-tools-version:6.2
import PackageDescription

// Two command-line apps of one vendor. `scripts/examples` builds and runs them against a server.

let package = Package(
    name: "two-apps",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "portico", path: "../.."),
        .package(name: "vendor-sdk", path: "VendorSDK"),
    ],
    targets: [
        .executableTarget(
            name: "MailApp",
            dependencies: [
                .product(name: "Portico", package: "portico"),
                .product(name: "VendorSDK", package: "vendor-sdk"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "ShopApp",
            dependencies: [.product(name: "Portico", package: "portico")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
