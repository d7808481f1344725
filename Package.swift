// swift-tools-version:6.2
import PackageDescription

// Targets stand in floor order (ARCHITECTURE.md): a target may import only what stands above it
// in this file. `swift build --explicit-target-dependency-import-check error` refuses the rest.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// The trait that pulls in everything a server needs. It is off by default, so that an app fetches
/// three packages even with an Xcode that knows no traits (before 26.4). In a clone:
/// `swift build --traits Server`, as the Makefile does.
let server: TargetDependencyCondition? = .when(traits: ["Server"])

/// The trait that lets generated OpenAPI clients send a session's token. An app that wants it has one
/// package more.
let openAPI: TargetDependencyCondition? = .when(traits: ["OpenAPI"])

// Ground: swift-crypto and swift-http-types.
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
/// RSA. On Apple systems `SecKey` has it, which keeps BoringSSL's extras out of apps.
let cryptoExtras = Target.Dependency.product(
    name: "CryptoExtras",
    package: "swift-crypto",
    condition: .when(platforms: [.linux])
)

/// Where the client sends requests through URLSession.
let apple: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

func serverProduct(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: server)
}

let package = Package(
    name: "portico",
    // The client's own: the systems of 2022, whose standard library has `Duration` and clocks, and
    // whose Swift has `any` types with parameters. (AppAuth 2.0 asks for iOS 12 and macOS 10.13.)
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Portico", targets: ["Portico"]),
        .library(name: "PorticoOpenAPI", targets: ["PorticoOpenAPI"]),
        .library(name: "PorticoTesting", targets: ["PorticoTesting"]),
        .library(name: "PorticoHummingbird", targets: ["PorticoHummingbird"]),
        .executable(name: "portico", targets: ["PorticoProgram"]),
    ],
    traits: [
        .trait(name: "Server", description: "The OpenID Provider and the program."),
        .trait(name: "OpenAPI", description: "Middleware for clients of swift-openapi-generator."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.6.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.26.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.3"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.3.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.2"),
    ],
    targets: [
        // MARK: Ground
        .target(name: "PorticoSystem", swiftSettings: settings),

        // MARK: Floor 0
        .target(
            name: "PorticoBytes",
            dependencies: ["PorticoSystem", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoProtocol",
            dependencies: ["PorticoSystem", "PorticoBytes", crypto, httpTypes, cryptoExtras],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoSeals",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", crypto,
                serverProduct("CryptoExtras", "swift-crypto"),
            ],
            swiftSettings: settings
        ),

        // MARK: Floor 1
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .target(
            name: "PorticoOutbound",
            dependencies: ["PorticoBytes", "PorticoProtocol", "CCurl", httpTypes],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoURLSession",
            dependencies: ["PorticoBytes", "PorticoProtocol", httpTypes],
            swiftSettings: settings
        ),
        // libsecret, loaded when it is used.
        .target(name: "CSecret"),
        .target(
            name: "PorticoPrivacy",
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: settings
        ),
        .target(
            name: "Portico",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", crypto, httpTypes,
                .target(name: "PorticoPrivacy", condition: .when(platforms: apple)),
                .target(name: "PorticoOutbound", condition: .when(platforms: [.linux])),
                .target(name: "CSecret", condition: .when(platforms: [.linux])),
                .target(name: "PorticoURLSession", condition: .when(platforms: apple)),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoOpenAPI",
            dependencies: [
                "PorticoSystem", "Portico", httpTypes,
                .product(
                    name: "OpenAPIRuntime",
                    package: "swift-openapi-runtime",
                    condition: openAPI
                ),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CUTF8Proc",
            providers: [.apt(["libutf8proc-dev"])]
        ),
        .target(
            name: "PorticoStores",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "CUTF8Proc", crypto,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoWeb",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", crypto,
                httpTypes,
                serverProduct("Logging", "swift-log"),
                serverProduct("NIOCore", "swift-nio"),
                serverProduct("NIOExtras", "swift-nio-extras"),
                serverProduct("NIOHTTP1", "swift-nio"),
                serverProduct("NIOHTTPTypesHTTP1", "swift-nio-extras"),
                serverProduct("NIOPosix", "swift-nio"),
                serverProduct("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoPages",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoWeb", crypto, httpTypes,
            ],
            resources: [.embedInCode("Resources")],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoMail",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "CCurl", serverProduct("NIOPosix", "swift-nio"),
            ],
            swiftSettings: settings
        ),

        // MARK: Floor 1 1/2
        .target(
            name: "PorticoTesting",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "Portico", httpTypes,
            ],
            swiftSettings: settings
        ),
        // TXT records. The C library of Linux has no calls for them without -lresolv.
        .target(name: "CResolv", linkerSettings: [.linkedLibrary("resolv")]),
        .target(
            name: "PorticoATProtocol",
            dependencies: ["PorticoBytes", "PorticoProtocol", "CResolv", httpTypes],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoHummingbird",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "Portico", "PorticoOutbound",
                httpTypes,
                serverProduct("Hummingbird", "hummingbird"),
                serverProduct("HummingbirdCore", "hummingbird"),
                serverProduct("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),

        // MARK: Floor 2
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(
            name: "PorticoSQLite",
            dependencies: ["PorticoSystem", "PorticoBytes", "PorticoStores", "CSQLite"],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CArgon2",
            pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev"])]
        ),
        .target(
            name: "PorticoAdministration",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoStores",
                "PorticoWeb", "CArgon2", crypto,
                serverProduct("CryptoExtras", "swift-crypto"),
                serverProduct("NIOPosix", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoUpstream",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico",
                crypto, httpTypes,
            ],
            swiftSettings: settings
        ),

        .target(
            name: "PorticoSignIn",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico",
                "PorticoStores", "PorticoWeb", "PorticoPages", "PorticoMail", "PorticoUpstream",
                "PorticoATProtocol", crypto, httpTypes,
                serverProduct("NIOCore", "swift-nio"),
                serverProduct("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),

        // MARK: Floor 3
        .target(
            name: "PorticoProvider",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoStores",
                "PorticoWeb", "PorticoPages", "PorticoSignIn", "PorticoATProtocol",
                "PorticoAdministration", crypto, httpTypes,
                serverProduct("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoKeycloak",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoStores", "PorticoWeb",
                "PorticoAdministration", "PorticoUpstream", httpTypes,
                serverProduct("Logging", "swift-log"),
                serverProduct("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),

        .target(
            name: "PorticoBackend",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico",
                "PorticoStores",
                "PorticoWeb", "PorticoPages", "PorticoUpstream", "PorticoSignIn",
                "PorticoATProtocol", crypto, httpTypes,
                serverProduct("NIOCore", "swift-nio"),
                serverProduct("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PorticoStandIns",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoWeb",
                crypto,
                cryptoExtras, httpTypes, serverProduct("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),

        // MARK: Floor 4
        .systemLibrary(
            name: "CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"])]
        ),
        .executableTarget(
            name: "PorticoProgram",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico",
                "PorticoStores",
                "PorticoWeb", "PorticoPages", "PorticoOutbound", "PorticoMail",
                "PorticoSQLite", "PorticoAdministration", "PorticoProvider", "PorticoUpstream",
                "PorticoKeycloak",
                "PorticoSignIn", "PorticoBackend", "PorticoStandIns", "PorticoATProtocol", "CYAML",
                crypto,
                httpTypes,
                serverProduct("ArgumentParser", "swift-argument-parser"),
                serverProduct("ServiceLifecycle", "swift-service-lifecycle"),
                serverProduct("UnixSignals", "swift-service-lifecycle"),
                serverProduct("Logging", "swift-log"),
                serverProduct("NIOCore", "swift-nio"),
            ],
            resources: [.embedInCode("Resources")],
            swiftSettings: settings
        ),

        // MARK: Tests
        .target(
            name: "PorticoGallery",
            dependencies: ["PorticoSystem", "PorticoPages"],
            path: "Tests/PorticoGallery",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "PageCost",
            dependencies: ["PorticoSystem", "PorticoPages", "PorticoGallery"],
            path: "Benchmarks/Sources/PageCost",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SignInCost",
            dependencies: ["PorticoSystem", "Portico", "PorticoTesting"],
            path: "Benchmarks/Sources/SignInCost",
            swiftSettings: settings
        ),
        // The examples are packages of their own, too. Here they see what is public.
        .executableTarget(
            name: "OrdersExample",
            dependencies: ["Portico", httpTypes],
            path: "Examples/command-line/Sources/Orders",
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "OrdersAPIExample",
            dependencies: [
                "PorticoHummingbird", serverProduct("Hummingbird", "hummingbird"),
            ],
            path: "Examples/hummingbird-api/Sources/OrdersAPI",
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "PostsExample",
            dependencies: ["Portico", httpTypes],
            path: "Examples/atproto-app/Sources/Posts",
            packageAccess: false,
            swiftSettings: settings
        ),
        .target(
            name: "PorticoTestSupport",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico", "PorticoStores",
                "PorticoWeb", "PorticoPages", "PorticoOutbound", "PorticoMail",
                "PorticoSQLite", "PorticoAdministration", "PorticoProvider", "PorticoUpstream",
                "PorticoKeycloak",
                "PorticoSignIn", "PorticoBackend", "PorticoStandIns", "PorticoATProtocol", crypto,
                httpTypes,
                serverProduct("Logging", "swift-log"),
                serverProduct("NIOCore", "swift-nio"),
            ],
            path: "Tests/PorticoTestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoBytesTests",
            dependencies: ["PorticoBytes"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoProtocolTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoTestSupport", crypto, cryptoExtras,
                httpTypes, serverProduct("JWTKit", "jwt-kit"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoSealsTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", crypto, cryptoExtras,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "Portico", "PorticoTestSupport", crypto,
                httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoOpenAPITests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "Portico", "PorticoOpenAPI", httpTypes,
                .product(
                    name: "OpenAPIRuntime",
                    package: "swift-openapi-runtime",
                    condition: openAPI
                ),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoTestingTests",
            dependencies: ["Portico", "PorticoTesting", httpTypes],
            // As the tests of an app, which see what is public.
            packageAccess: false,
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoWebTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoWeb",
                "PorticoTestSupport", httpTypes,
                serverProduct("Logging", "swift-log"),
                serverProduct("NIOCore", "swift-nio"),
                serverProduct("NIOEmbedded", "swift-nio"),
                serverProduct("NIOHTTP1", "swift-nio"),
                serverProduct("NIOPosix", "swift-nio"),
                serverProduct("NIOHTTPTypes", "swift-nio-extras"),
                serverProduct("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoATProtocolTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoOutbound", "PorticoATProtocol",
                "PorticoTestSupport", httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoOutboundTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoOutbound", "PorticoURLSession",
                "Portico", "PorticoTestSupport", httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreContractTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoStores", "PorticoSQLite",
                "PorticoTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoSQLiteTests",
            dependencies: [
                "PorticoBytes", "PorticoStores", "PorticoSQLite",
                "PorticoTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoAdministrationTests",
            dependencies: [
                "PorticoSystem", "PorticoBytes", "PorticoProtocol", "PorticoStores", "PorticoWeb",
                "PorticoSQLite", "PorticoAdministration", "PorticoTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoProviderTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoStores", "PorticoWeb",
                "PorticoPages", "PorticoOutbound", "PorticoATProtocol", "PorticoSQLite",
                "PorticoAdministration", "PorticoSignIn", "PorticoProvider", "Portico",
                "PorticoTestSupport", crypto, cryptoExtras, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoPagesTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoPages", "PorticoGallery",
                "PorticoTestSupport", crypto, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoMailTests",
            dependencies: ["PorticoBytes", "PorticoMail", "PorticoTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoHummingbirdTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoStores", "Portico", "PorticoHummingbird",
                "PorticoTestSupport", httpTypes, serverProduct("Hummingbird", "hummingbird"),
                serverProduct("HummingbirdCore", "hummingbird"),
                serverProduct("Logging", "swift-log"),
                serverProduct("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoUpstreamTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico", "PorticoUpstream",
                "PorticoTestSupport", crypto, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoStandInsTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoWeb", "PorticoOutbound",
                "PorticoATProtocol", "PorticoStandIns", "PorticoTestSupport", crypto, httpTypes,
                serverProduct("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoBackendTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico", "PorticoStores",
                "PorticoWeb", "PorticoPages", "PorticoGallery", "PorticoMail", "PorticoOutbound",
                "PorticoSQLite", "PorticoAdministration", "PorticoProvider", "PorticoUpstream",
                "PorticoATProtocol",
                "PorticoSignIn", "PorticoBackend", "PorticoStandIns", "PorticoTestSupport",
                "PorticoTesting", crypto,
                httpTypes,
                serverProduct("Logging", "swift-log"), serverProduct("NIOCore", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoKeycloakTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "PorticoStores",
                "PorticoAdministration", "PorticoProvider", "PorticoSQLite", "PorticoKeycloak",
                "PorticoTestSupport",
                crypto, httpTypes,
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PorticoProgramTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "PorticoSeals", "Portico", "PorticoStores",
                "PorticoWeb", "PorticoOutbound", "PorticoMail", "PorticoSQLite",
                "PorticoAdministration", "PorticoProvider", "PorticoKeycloak", "PorticoSignIn",
                "PorticoBackend", "PorticoProgram",
                "PorticoATProtocol", "PorticoStandIns", "PorticoTestSupport",
                httpTypes, serverProduct("ArgumentParser", "swift-argument-parser"),
                serverProduct("Logging", "swift-log"), serverProduct("NIOCore", "swift-nio"),
            ],
            exclude: ["Scenarios"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "PorticoBytes", "PorticoProtocol", "Portico", "PorticoStores", "PorticoOutbound",
                "PorticoSignIn", "PorticoBackend", "PorticoStandIns", "PorticoTestSupport",
                httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DocumentTests",
            dependencies: [
                "PorticoAdministration", "PorticoSignIn", "PorticoBackend", "PorticoProgram",
                "PorticoProvider", "PorticoStores", "PorticoTestSupport", "PorticoWeb",
                httpTypes,
                serverProduct("ArgumentParser", "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
    ]
)
