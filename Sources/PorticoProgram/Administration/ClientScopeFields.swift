import ArgumentParser
import PorticoBytes
import PorticoStores

/// Which scope tokens a client gets and may ask for. What is named is added; nothing goes unless it
/// is named to go.
struct ClientScopeFields: ParsableArguments {
    @Option(
        name: .customLong("default-scope"),
        help: .value("scope", "One more scope that it gets unasked. Repeat for several.")
    )
    var defaults: [String] = []

    @Option(
        name: .customLong("optional-scope"),
        help: .value("scope", "One more scope that it may ask for. Repeat for several.")
    )
    var optionals: [String] = []

    @Option(
        name: .customLong("remove-scope"),
        help: .value(
            "scope",
            "A scope that it has no more, before others are added. Repeat for several."
        )
    )
    var removed: [String] = []

    /// What stands among the defaults may be asked for anyway, and stands there once.
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
