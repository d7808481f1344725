import Foundation
import Testing

/// Arrows go down only (ARCHITECTURE.md). The build's import check keeps each target to what it
/// declares; here is what it may declare.
@Suite("Floors")
struct FloorTests {
    private struct Target {
        let name: String
        let folder: String
        /// Of our own targets only.
        let dependencies: [String]
        /// Modules of other packages.
        let products: [String]
    }

    /// What comes with Swift or the system, and needs no declaration.
    private static let system: Set = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Testing",
        "Glibc", "Musl", "Darwin", "Observation",
        // Of Apple's systems.
        "Security", "AuthenticationServices", "SwiftUI", "UIKit", "AppKit",
    ]

    private static func targets() throws -> [Target] {
        let package = try Project.text("Package.swift")
        let list = try #require(package.firstRange(of: "    targets: [\n"))
        let blocks = package[list.upperBound...]
            .split(separator: /\n        \.(?=\w*[tT]arget\(|systemLibrary\()/)
        let targets = blocks.compactMap { block -> Target? in
            guard let name = block.firstMatch(of: /name: "(\w+)"/)?.1 else { return nil }
            let ours = /"(Portico\w*|C(?:Argon2|Curl|Resolv|Secret|SQLite|UTF8Proc|YAML))"/
            let words = block.matches(of: ours).map { String($0.1) }
            let folder = block.firstMatch(of: /path: "([^"]+)"/)?.1
            let isTest = block.hasPrefix("testTarget")
            let named = [
                "crypto": "Crypto", "httpTypes": "HTTPTypes", "cryptoExtras": "CryptoExtras",
            ]
            let products = block.matches(of: /\b(crypto|httpTypes|cryptoExtras)\b/)
                .compactMap { named[String($0.1)] }
            let guarded =
                block.matches(of: /serverProduct\("(\w+)"/).map { String($0.1) }
                + block.matches(of: /\.product\(\s*name: "(\w+)"/).map { String($0.1) }
            return Target(
                name: String(name),
                folder: folder.map(String.init) ?? "\(isTest ? "Tests" : "Sources")/\(name)",
                dependencies: words.filter { $0 != name },
                products: products + guarded
            )
        }
        try #require(targets.count > 20)
        return targets
    }

    @Test("a target depends only on targets that stand above it in Package.swift")
    func order() throws {
        var above: Set<String> = []
        for target in try Self.targets() {
            #expect(above.isSuperset(of: target.dependencies), "\(target.name)")
            above.insert(target.name)
        }
    }

    @Test("a source imports only what its target declares")
    func imports() throws {
        // The build asks the same of our own targets, but lets modules of packages pass that some
        // other target has brought along.
        let sources = Project.code.merging(Project.tests) { one, _ in one }
        for target in try Self.targets() {
            let allowed = Self.system.union(target.dependencies + target.products + [target.name])
            for (path, text) in sources where path.hasPrefix(target.folder + "/") {
                for match in text.matches(of: /(?m)^ *(?:@\w+ )*(?:\w+ )?import (\w+)/) {
                    #expect(allowed.contains(String(match.1)), "\(path): \(match.1)")
                }
            }
        }
    }

    @Test("an app's targets depend on nothing that the trait for servers pulls in")
    func apps() throws {
        let package = try Project.text("Package.swift")
        let targets = try Self.targets()
        var wanted: Set = ["Portico"]
        for target in targets.reversed() where wanted.contains(target.name) {
            wanted.formUnion(target.dependencies)
        }
        let systems = [
            "PorticoOutbound", "CCurl", "CSecret", "PorticoURLSession", "PorticoPrivacy",
        ]
        #expect(
            wanted
                == Set(
                    ["Portico", "PorticoProtocol", "PorticoBytes", "PorticoSystem"] + systems
                )
        )
        // What signs anybody in is for test targets.
        for target in targets where target.folder.hasPrefix("Sources/") {
            #expect(!target.dependencies.contains("PorticoTesting"), "\(target.name)")
        }
        wanted.insert("PorticoTesting")
        let bare: Set = ["CCurl", "CSecret", "PorticoSystem", "PorticoPrivacy"]
        for name in wanted.subtracting(bare) {
            let block = try #require(
                package.firstMatch(of: try Regex("name: \"\(name)\",\\s+dependencies: [^\\]]*"))
            )
            #expect(!block.0.contains("serverProduct"), "\(name)")
        }
        // An unguarded dependency is fetched by every app.
        let unguarded = package.matches(of: /\.product\(\s*name: "(\w+)"/).map { String($0.1) }
        let openAPI = package.matches(of: /"swift-openapi-runtime",\s+condition: openAPI\b/)
        #expect(unguarded.count(where: { $0 == "OpenAPIRuntime" }) == openAPI.count)
        #expect(
            Set(unguarded).subtracting(["OpenAPIRuntime"])
                == ["Crypto", "HTTPTypes", "CryptoExtras"]
        )
    }

    @Test("only what the library for apps shows is public")
    func access() throws {
        let isPublic = /(?m)^ *(?:@\w+ )*public (?!import)/
        for (path, text) in Project.code where text.contains(isPublic) {
            let mayBe = [
                "Sources/Portico/", "Sources/PorticoProtocol/", "Sources/PorticoHummingbird/",
                "Sources/PorticoOpenAPI/",
                "Sources/PorticoTesting/",
            ]
            #expect(mayBe.contains(where: path.hasPrefix), "\(path)")
        }
    }

    @Test("no two paths differ only in case, and no type is named like a module")
    func names() throws {
        let paths =
            Project.files(below: "Sources", ending: "") + Project.files(below: "Tests", ending: "")
        #expect(Set(paths.map { $0.lowercased() }).count == paths.count)
        let modules = Set(try Self.targets().map(\.name))
        for (path, text) in Project.code {
            for match in text.matches(of: /\b(?:struct|class|enum|actor|protocol) (\w+)/) {
                #expect(!modules.contains(String(match.1)), "\(path): \(match.1)")
            }
        }
    }
}
