import ArgumentParser
import PorticoKeycloak
import PorticoStores

/// Which client scopes new clients of a realm get that are made as Keycloak makes them. What is named is
/// added; nothing is removed unless it is named.
struct RealmScopeFields: ParsableArguments {
    @Option(
        name: .customLong("default-scope"),
        help: .value("scope", "Another client scope that new clients get. Repeat for several.")
    )
    var defaults: [String] = []

    @Option(
        name: .customLong("optional-scope"),
        help: .value("scope", "Another one that new clients may ask for. Repeat for several.")
    )
    var optionals: [String] = []

    @Option(
        name: .customLong("remove-scope"),
        help: .value("scope", "One that new clients do not get any more. Repeat for several.")
    )
    var removed: [String] = []

    func apply(to realm: inout Realm, _ administration: Administration) async throws {
        guard !(defaults + optionals + removed).isEmpty else { return }
        for name in defaults + optionals { _ = try await administration.scope(name, in: realm) }
        var scopes = ScopeLists(
            defaults: realm.defaultClientScopes,
            optionals: realm.optionalClientScopes
        )
        try scopes.change(
            removing: removed,
            defaults: defaults,
            optionals: optionals,
            of: "Realm \(realm.name)"
        )
        realm.setClientScopes(defaults: scopes.defaults, optionals: scopes.optionals)
    }
}
