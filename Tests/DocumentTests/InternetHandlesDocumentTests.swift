import Foundation
import Testing

/// docs/internet-handles.md has everything that people and apps are told.
@Suite("What the documents say of internet handles") struct InternetHandlesDocumentTests {
    private func rows(_ heading: String) throws -> [[String]] {
        let rows = try Markdown("docs/internet-handles.md").rows(below: heading)
        try #require(!rows.isEmpty, "\(heading)")
        return rows
    }

    /// The words of a source that a pattern finds.
    private func words(_ pattern: Regex<(Substring, Substring)>, in path: String) throws
        -> Set<String>
    {
        let found = try Project.text("Sources/\(path)").matches(of: pattern).map { String($0.1) }
        try #require(!found.isEmpty, "\(path)")
        return Set(found)
    }

    @Test("every word of the log about sign-ins by handle has its row, and no other has")
    func logged() throws {
        let faults = try words(
            /case \.\w+: "([a-z_]+)"/,
            in: "PorticoSignIn/Handles/HandleFault.swift"
        )
        let listed = try rows("## What people may read").flatMap { row in
            row[0].matches(of: /`([a-z_]+)`/).map { String($0.1) }
        }
        #expect(Set(listed) == faults)
        #expect(listed.count == faults.count)
    }

    @Test("every title of the pages for handles is there, in English")
    func titles() throws {
        let text = try Project.text("Sources/PorticoPages/Resources/en.properties")
        let names =
            /(?m)^handle\.(?:problem\.\w+\.title|heading|didYouMean|continueAt|again) = (.*)$/
        let titles = text.matches(of: names).map { $0.1.replacing(/\s?\{\w+\}/, with: "…") }
        #expect(titles.count == 11)
        let told = try rows("## What people may read").map { $0[0] }
        for title in titles {
            // A name stands where the dots are.
            let parts = title.split(separator: "…").map { $0.trimmingCharacters(in: .whitespaces) }
            let isTold = told.contains { row in parts.allSatisfy { row.contains($0) } }
            #expect(isTold, "\(title)")
        }
    }

    @Test("every error that apps get of a sign-in by handle or of a session has its row")
    func errors() throws {
        let redirected = try words(
            /(?m): "(expired|access_denied|\w+_unavailable|\w+_error)"$/,
            in: "PorticoSignIn/Handles/HandleFault.swift"
        )
        let rows = try rows("## What apps get")
        let listed = Set(rows.flatMap { $0[0].matches(of: /`([a-z_]+)`/).map { String($0.1) } })
        // The latter of all sign-ins.
        #expect(listed == redirected.union(["invalid_request"]))
        let told = rows.filter { $0.count > 1 }.map { $0[1] }.joined(separator: " ")
        let reasons = try words(
            /case \w+ = "([A-Z_]+)"/,
            in: "PorticoSignIn/Accounts/SessionCheck.swift"
        )
        for reason in reasons { #expect(told.contains("`\(reason)`"), "\(reason)") }
        let codes = try [
            "PorticoSignIn/Handles/HandleFault", "PorticoSignIn/Configuration/ProviderDirectory",
            "PorticoSignIn/Accounts/AppTarget", "PorticoBackend/Handles/XRPCEndpoint",
            "PorticoBackend/Handles/HandleSessionEndpoint",
            "PorticoBackend/Endpoints/AppTokenEndpoint",
        ].flatMap { try words(/ServiceError\(\s*\.(\w+),/, in: "\($0).swift") }
        for code in Set(codes) {
            let name = code.replacing(/[A-Z]/) { "_\($0.output.lowercased())" }
            #expect(told.contains("`\(name)`"), "\(name)")
        }
    }
}
