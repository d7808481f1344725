import ArgumentParser
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

    func apply(to client: inout Client) throws(Failure) {
        var scopes = ScopeLists(defaults: client.defaultScopes, optionals: client.optionalScopes)
        try scopes.change(
            removing: removed,
            defaults: defaults,
            optionals: optionals,
            of: "The client"
        )
        client.defaultScopes = scopes.defaults
        client.optionalScopes = scopes.optionals
    }
}
