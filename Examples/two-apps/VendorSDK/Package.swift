// swift-tools-version:6.2
import PackageDescription

// What a vendor gives to all of its apps: it works with the session that an app already has.

let package = Package(
    name: "vendor-sdk",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "VendorSDK", targets: ["VendorSDK"])],
    dependencies: [.package(name: "portico", path: "../../..")],
    targets: [
        .target(
            name: "VendorSDK",
            dependencies: [.product(name: "Portico", package: "portico")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
