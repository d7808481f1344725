import Foundation
import Testing

/// What no source may hold, whoever writes it: rules that a reader of one file cannot see kept.
@Suite("Rules for all sources")
struct SourceRuleTests {
    /// The code of the files below a folder of the project, comments left out, by path.
    private func code(_ folder: String) throws -> [String: String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let files = FileManager.default.enumerator(
            at: root.appending(path: folder),
            includingPropertiesForKeys: nil
        )
        var code: [String: String] = [:]
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let path = String(file.path.dropFirst(root.path.count + 1))
            code[path] = try String(contentsOf: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex) }
                .joined(separator: "\n")
        }
        try #require(!code.isEmpty)
        return code
    }

    /// The files that hold any of the words, without those that may.
    private func files(
        with words: [String],
        in folder: String = "Sources",
        except allowed: Set<String> = []
    ) throws -> [String] {
        try code(folder)
            .filter { file in words.contains { file.value.contains($0) } }
            .keys.filter { !allowed.contains($0) }.sorted()
    }

    @Test("RFC 8252 §8.12: no source of ours can show a web page within an app")
    func webViews() throws {
        #expect(try files(with: ["WebKit", "WKWebView", "UIWebView", "WebView("]).isEmpty)
    }

    @Test("RFC 8252 §8.5: the library for apps has no place for a client secret")
    func secrets() throws {
        let words = ["client_secret", "clientSecret", "client_assertion", "clientAssertion"]
        #expect(try files(with: words, in: "Sources/Portico").isEmpty)
    }

    @Test("WEB-CRYPT-1: chance comes from the system's generator, by way of one file")
    func chance() throws {
        let words = ["SystemRandomNumberGenerator", ".random(in", "randomElement", "UUID()"]
        #expect(
            try files(with: words, except: ["Sources/PorticoBytes/RandomSource.swift"]).isEmpty
        )
    }

    @Test("Time is read where clocks are made, and given to every rule")
    func time() throws {
        let clocks: Set = [
            "Sources/PorticoProvider/Moment.swift", "Sources/Portico/SignInClient.swift",
        ]
        let found = try files(with: ["Date()", "Date.now", "Date(timeIntervalSinceNow"])
        #expect(found.filter { !clocks.contains($0) && !$0.contains("PorticoProgram/") }.isEmpty)
    }

    @Test("attack H12: nothing from outside is trusted to be there, or to be what is expected")
    func traps() throws {
        #expect(try files(with: ["try!", " as! ", "fatalError("]).isEmpty)
    }

    @Test("attacks B26, C27: the Provider has nothing that it could fetch an address with")
    func nothingIsFetched() throws {
        let words = [
            "HTTPTransport", "URLSession", "AsyncHTTPClient", "PorticoOutbound", "HTTPClient(",
            "ClientBootstrap",
        ]
        for folder in ["PorticoProvider", "PorticoWeb"] {
            #expect(try files(with: words, in: "Sources/" + folder).isEmpty)
        }
    }

    @Test("WEB-CMP-1: secrets are compared by the one function that takes the same time for all")
    func constantTime() throws {
        let code = try code("Sources")
        for path in [
            "PorticoBytes/SecretText", "PorticoBytes/Hash256", "PorticoProtocol/Rules/PKCE",
            "PorticoProvider/Clients/ClientAuthentication", "PorticoProvider/Tokens/RefreshToken",
            "PorticoWeb/Forms/FormToken",
        ] {
            let text = try #require(code["Sources/\(path).swift"], "\(path)")
            #expect(text.contains("ConstantTime.equal("), "\(path)")
        }
        // Outside its own type nobody compares what a secret reveals.
        for (path, text) in code {
            #expect(
                text.firstMatch(of: /reveal(Stored)?\(\)\s*[=!]=|[=!]=\s*[\w.]*reveal(Stored)?\(\)/)
                    == nil,
                "\(path)"
            )
        }
    }
}
