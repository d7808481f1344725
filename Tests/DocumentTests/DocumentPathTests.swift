import Foundation
import Testing

/// A document that names what is not there sends its reader nowhere.
@Suite("What the documents name exists")
struct DocumentPathTests {
    @Test("every link within the project leads to a file")
    func links() throws {
        for document in try Markdown.all() {
            let folder = URL(filePath: "/\(document.path)").deletingLastPathComponent()
            for link in document.links where !link.hasPrefix("https://") {
                let path = String(link.prefix { $0 != "#" })
                let target = folder.appending(path: path).standardized.path
                #expect(Project.exists(String(target.dropFirst())), "\(document.path): \(link)")
            }
        }
    }

    @Test("every decision has its line in the list of decisions")
    func decisions() throws {
        let listed = try Set(Markdown("docs/decisions/README.md").links)
        let files = Project.files(below: "docs/decisions", ending: ".md")
            .map { String($0.dropFirst("docs/decisions/".count)) }
        #expect(Set(files).subtracting(["README.md"]) == listed)
    }

    @Test("every path that a document names is there")
    func paths() throws {
        let folders = [
            "Sources/", "Tests/", "Benchmarks/", "scripts/", "docs/", "Examples/", ".ci/",
        ]
        let sources = Project.code.keys
        let files = [sources, Project.tests.keys].joined().compactMap {
            $0.split(separator: "/").last
        }
        for document in try Markdown.all() {
            let names = document.spans.map { String($0.prefix { $0 != " " && $0 != ":" }) }
            for name in names {
                if folders.contains(where: name.hasPrefix) {
                    let path = name.prefix { !"<{*".contains($0) }
                    #expect(Project.exists(String(path)), "\(document.path): \(name)")
                    continue
                }
                if name.wholeMatch(of: /[A-Z]\w+\+[A-Z]\w+/) != nil {
                    #expect(files.contains("\(name).swift"), "\(document.path): \(name)")
                    continue
                }
                // In ARCHITECTURE: below Sources/, without the ending; X stands for any name.
                guard name.wholeMatch(of: /[A-Z]\w+(\/[A-Z][\w+]*)+\/?/) != nil else { continue }
                let parts = name.split(separator: "/")
                let isPattern = parts.last?.first == "X"
                let path = "/" + (isPattern ? parts.dropLast() : parts[...]).joined(separator: "/")
                let isThere = sources.contains {
                    isPattern || name.hasSuffix("/")
                        ? $0.contains(path + "/") : $0.hasSuffix(path + ".swift")
                }
                #expect(isThere, "\(document.path): \(name)")
            }
        }
    }

    /// What documents name and no source of ours does: Keycloak's, the standards', Swift's words.
    private static let foreign: Set = [
        "Host", "Retry", "Idempotency", "Bearer", "Date", "Referer", "Argon2id", "OS", "JavaScript",
        "ASWebAuthenticationSession", "IronSessionMobileOAuthCoordinator", "IronSessionAPIClient",
        "NAME", "FILE", "PATH", "PORTICO_", "X", "Codable",
    ]

    @Test("every type and member that a document names is one")
    func identifiers() throws {
        for document in try Markdown.all() {
            for span in document.spans {
                let isName = span.wholeMatch(of: /[A-Z]\w+(\.\w+)*(\(\w*:?\))?/) != nil
                guard isName, !span.hasPrefix("PORTICO_"), !span.hasPrefix("TEST_") else {
                    continue
                }
                let words = span.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                for word in words.map(String.init) where !Self.foreign.contains(word) {
                    let isTheirs =
                        document.path.contains("docc/From")
                        && (word.hasPrefix("OID") || span.hasPrefix("Auth0")
                            || span.hasPrefix("CredentialsManager"))
                    let isPattern = isTheirs || word.wholeMatch(of: /X[A-Z]\w*/) != nil
                    let isKnown = Project.identifiers.contains(word) || Project.exists(span)
                    #expect(isKnown || isPattern, "\(document.path): \(span)")
                }
            }
        }
    }

    @Test("the tables that ARCHITECTURE lists are those of the database")
    func tables() throws {
        let text = try Project.text("ARCHITECTURE.md")
        let paragraph = try #require(
            text.firstMatch(of: /\nTables: (.*?)\. There/.dotMatchesNewlines())
        )
        let listed = paragraph.1.matches(of: /`(\w+)`/).map { String($0.1) }
        let made = Project.code.filter { $0.key.contains("SQLiteSchema+") }.values
            .flatMap { $0.matches(of: /CREATE TABLE (\w+)/).map { String($0.1) } }
        // What only counts changes is no memory of anything.
        #expect(Set(listed) == Set(made).subtracting(["backend_version"]))
    }

    @Test("ARCHITECTURE says of every target what it is")
    func targets() throws {
        let package = try Project.text("Package.swift")
        let names = package.matches(
            of: /\.(?:executableTarget|target|systemLibrary)\(\s*name: "(\w+)"/
        )
        .map { String($0.1) }.filter { $0 != "PorticoTestSupport" }
        try #require(names.count > 10)
        let rows = try Markdown("ARCHITECTURE.md").rows(below: "## Floors").map { $0[0] }
        #expect(Set(rows) == Set(names.map { "`\($0)`" }))
    }

    @Test("addresses that documents name are answered")
    func addresses() throws {
        let sources = Project.code.values.joined(separator: "\n")
        for document in try Markdown.all() {
            for span in document.spans {
                guard let match = span.wholeMatch(of: /(?:GET |POST )?(\/[a-z{][\w\/{}.-]*)/) else {
                    continue
                }
                for part in match.1.split(separator: "/") where !part.hasPrefix("{") {
                    let isThere = sources.contains(part)
                    // The demo's folder of its own, and a path that Keycloak once had.
                    #expect(isThere || ["auth"].contains(part), "\(document.path): \(span)")
                }
            }
        }
    }
}
