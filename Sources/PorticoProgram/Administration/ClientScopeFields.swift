import ArgumentParser
import PorticoBytes
import PorticoStores

/// Which scope tokens a client gets and may ask for. What is named is added; nothing is removed
/// unless it is named.
struct ClientScopeFields: ParsableArguments {
    @Option(
        name: .customLong("default-scope"),
        help: .value("scope", "Another scope that it always gets. Repeat for several.")
    )
    var defaults: [String] = []

    @Option(
        name: .customLong("optional-scope"),
        help: .value("scope", "Another scope that it may ask for. Repeat for several.")
    )
    var optionals: [String] = []

    @Option(
        name: .customLong("remove-scope"),
        help: .value(
            "scope",
            "A scope to remove, before others are added. Repeat for several."
        )
    )
    var removed: [String] = []

    /// A default scope may be asked for anyway, so it is not listed as optional too.
    func apply(to client: inout Client) throws(Failure) {
        for scope in removed {
            let known = client.defaultScopes + client.optionalScopes
            guard known.contains(where: { sameBytes($0, scope) }) else {
                throw Failure(
                    .notFound,
                    "The client has no scope \"\(printable(scope))\".",
                    "It has: \(known.map(printable).joined(separator: " "))"
                )
            }
            client.defaultScopes.removeAll { sameBytes($0, scope) }
            client.optionalScopes.removeAll { sameBytes($0, scope) }
        }
        for scope in defaults
        where !client.defaultScopes.contains(where: { sameBytes($0, scope) }) {
            client.optionalScopes.removeAll { sameBytes($0, scope) }
            client.defaultScopes.append(scope)
        }
        let known = client.defaultScopes + client.optionalScopes
        for scope in optionals where !known.contains(where: { sameBytes($0, scope) }) {
            client.optionalScopes.append(scope)
        }
    }
}
