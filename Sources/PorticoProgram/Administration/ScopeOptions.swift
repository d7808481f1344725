import ArgumentParser
import PorticoBytes

/// Changes of the scopes that a client has, or that new clients of a realm get: by default, and on request. What
/// is named is added; nothing is removed unless it is named.
struct ScopeOptions: ParsableArguments {
    @Option(
        name: .customLong("default-scope"),
        help: .value("scope", "Another scope that it, or a new client of the realm, always gets.")
    )
    var defaults: [String] = []

    @Option(
        name: .customLong("optional-scope"),
        help: .value("scope", "Another scope that it, or a new client, may ask for.")
    )
    var optionals: [String] = []

    @Option(
        name: .customLong("remove-scope"),
        help: .value("scope", "A scope to remove, before others are added. Repeat for several.")
    )
    var removed: [String] = []

    var added: [String] { defaults + optionals }

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// A default scope may be asked for anyway, so it is not listed as optional too.
    ///
    /// - Parameter owner: As a sentence begins: `The client`.
    func change(_ lists: inout (defaults: [String], optionals: [String]), of owner: String)
        throws(Failure)
    {
        for scope in removed {
            let known = lists.defaults + lists.optionals
            guard known.contains(where: { sameBytes($0, scope) }) else {
                throw Failure(
                    .notFound,
                    "\(owner) has no scope \"\(printable(scope))\".",
                    "It has: \(known.map(printable).joined(separator: " "))"
                )
            }
            lists.defaults.removeAll { sameBytes($0, scope) }
            lists.optionals.removeAll { sameBytes($0, scope) }
        }
        for scope in defaults where !lists.defaults.contains(where: { sameBytes($0, scope) }) {
            lists.optionals.removeAll { sameBytes($0, scope) }
            lists.defaults.append(scope)
        }
        let known = lists.defaults + lists.optionals
        for scope in optionals where !known.contains(where: { sameBytes($0, scope) }) {
            lists.optionals.append(scope)
        }
    }
}
