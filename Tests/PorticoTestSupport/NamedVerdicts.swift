import Foundation

/// Where we judge otherwise than a real server, on purpose: the tables in
/// docs/standards/atproto-stricter.md. What stands there and what tests find is the same.
package enum NamedVerdicts {
    /// How we judge, by the names of a kind: `stricter`, `milder` or `other error`.
    ///
    /// - Parameter kind: The first word of a table's first column, such as `document`.
    package static func all(_ kind: String) throws -> [String: String] {
        let checkout = #filePath.split(separator: "/Tests/").first.map { String($0) } ?? ""
        let path = "\(checkout)/docs/standards/atproto-stricter.md"
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        var named: [String: String] = [:]
        for match in text.matches(of: /\n\| `(\w+) ([^`]+)` \| ([a-z ]+) \|/)
        where match.1 == kind {
            named[String(match.2)] = String(match.3)
        }
        return named
    }

    /// How one verdict is to another, in the words of the table; `nil` where it is the same.
    package static func difference(_ here: Verdict, from there: Verdict) -> String? {
        switch (there.isGranted, here.isGranted) {
        case (true, false): "stricter"
        case (false, true): "milder"
        case (false, false): here.error == there.error ? nil : "other error"
        case (true, true): nil
        }
    }

    package struct Verdict: Sendable, CustomStringConvertible {
        package let isGranted: Bool
        package let error: String?

        package init(isGranted: Bool, error: String?) {
            self.isGranted = isGranted
            self.error = error
        }

        package var description: String { isGranted ? "granted" : error ?? "refused" }
    }
}
