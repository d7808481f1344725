// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "orders-api",
    platforms: [.macOS(.v14)],
    dependencies: [
        // Your copy of Portico.
        .package(name: "portico", path: "../..", traits: ["Server"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.26.0"),
    ],
    targets: [
        .executableTarget(
            name: "OrdersAPI",
            dependencies: [
                .product(name: "PorticoHummingbird", package: "portico"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        )
    ]
)
