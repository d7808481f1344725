import Foundation
import Testing

@testable import PorticoProgram

/// docs/errors.md has what can happen, all of it and nothing else.
@Suite("What the documents say of errors")
struct ErrorDocumentTests {
    private func words(_ cell: String) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    private func rows(_ heading: String) throws -> [[String]] {
        let rows = try Markdown("docs/errors.md").rows(below: heading)
        try #require(!rows.isEmpty, "\(heading)")
        return rows
    }

    /// The names of a type's static members, or of its cases, in one source.
    private func members(_ pattern: Regex<(Substring, Substring)>, of path: String) throws
        -> Set<String>
    {
        let found = try Project.text("Sources/\(path)").matches(of: pattern).map { String($0.1) }
        try #require(!found.isEmpty, "\(path)")
        return Set(found)
    }

    @Test("every problem of the program has its row, with its exit code, and no other has")
    func problems() throws {
        let rows = try rows("## The command line").filter { $0.count == 4 }
        let listed = rows.map { [words($0[0]).first ?? "", $0[1]] }
        let known = Problem.allCases.map { [$0.rawValue, "\($0.exitStatus.rawValue)"] }
        #expect(Set(listed) == Set(known))
        #expect(listed.count == known.count)
    }

    @Test("every exit code has its row, and no other has")
    func exitCodes() throws {
        let rows = try rows("## The command line").filter { $0.count == 2 }
        #expect(rows.map { $0[0] } == ExitStatus.allCases.map { "\($0.rawValue)" })
    }

    @Test("every error of the Provider has its row, and no other has")
    func codes() throws {
        let source = try Project.text("Sources/PorticoProtocol/OAuthError.swift")
        let codes = source.matches(of: /static let (\w+) =\s+Code\("(\w+)"\)/)
            .map { (name: String($0.1), code: String($0.2)) }
        let rows = try rows("## What the Provider answers")
        #expect(Set(rows.flatMap { words($0[0]) }) == Set(codes.map(\.code)))
        #expect(rows.count == codes.count)
        // What ours never sends is written nowhere in it.
        let provider = Project.code.filter {
            $0.key.contains("/PorticoProvider/") || $0.key.contains("/PorticoWeb/")
                || $0.key.contains("/PorticoProtocol/") && !$0.key.hasSuffix("OAuthError.swift")
        }.values.map(Project.withoutComments).joined(separator: "\n")
        for (name, code) in codes {
            let row = try #require(rows.first { words($0[0]) == [code] })
            let isSent = provider.contains(
                try Regex("(OAuthError|AuthorizationRefusal)?\\(?\\.\(name)\\b")
            )
            #expect(isSent != row[1].contains("Ours never sends it"), "\(code)")
        }
    }

    @Test(
        "every error of the client library has its row, and no other has",
        arguments: [
            ("cancelled", "Cancellation"), ("interactionRequired", "Interaction"),
            ("transient", "TransientCause"), ("storage", "StorageProblem"),
        ]
    )
    func clientErrors(kind: String, type: String) throws {
        let listed = try rows("### `\(kind)`").flatMap { words($0[0]) }
        let pattern = try Regex(
            "static let (\\w+) =\\s+\(type)\\(",
            as: (Substring, Substring).self
        )
        #expect(Set(listed) == (try members(pattern, of: "Portico/SignInError.swift")))
    }

    @Test("every hint and every check of the client library has its row, and no other has")
    func hints() throws {
        let members = /static let (\w+) =\s+Self\(/
        let hints = try self.members(members, of: "Portico/SignInError+Hint.swift")
        let listed = try rows("### `misconfigured`").flatMap { words($0[0]) }
        #expect(Set(listed) == hints.union(["clock(offBy:)"]))
        let checks = try self.members(members, of: "Portico/SignInError+Check.swift")
        #expect(Set(try rows("### `rejected`").flatMap { words($0[0]) }) == checks)
    }

    @Test("every kind of the client library's errors has its heading")
    func kinds() throws {
        let kinds = try members(/\n        case (\w+)(?:\(|\n)/, of: "Portico/SignInError.swift")
        let headings = try Markdown("docs/errors.md").text.matches(of: /\n### `(\w+)`:/)
        #expect(Set(headings.map { String($0.1) }) == kinds)
    }
}
