import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Which scopes a client gets, and which it may ask for (Keycloak `ClientRepresentation`).
struct ClientScopes {
    private let all: Set<String>
    /// Those of OpenID Connect.
    private let known: Set<String>
    private let defaults: [String]
    private let optionals: [String]

    init(_ realm: Representation, scopes: [ClientScope]) throws(RealmImportError) {
        all = Set(scopes.map(\.name))
        known = Set(scopes.filter(\.isOffered).map(\.name))
        defaults = try realm.strings("defaultDefaultClientScopes") ?? BuiltInScopes.defaults
        optionals = try realm.strings("defaultOptionalClientScopes") ?? BuiltInScopes.optionals
    }

    /// - Parameter here: The client that is here: a list that the file does not have stays.
    func apply(
        to client: inout Client,
        _ representation: Representation,
        here: Client?,
        report: inout ImportReport
    )
        throws(RealmImportError)
    {
        let subject = "client \(client.clientID)"
        let said = try representation.strings("defaultClientScopes")
        let named = said ?? (here == nil ? defaults : [])
        // What needs consent must be requested (OpenID Connect Core §11).
        client.defaultScopes = registrable(named, subject, report: &report)
            .filter { $0 != "offline_access" && $0 != "device_sso" }
        if let here, said == nil { client.defaultScopes = here.defaultScopes }
        let asked = try representation.strings("optionalClientScopes")
        let others = Set(asked ?? here?.optionalScopes ?? optionals)
            .subtracting(client.defaultScopes)
        let names = (asked ?? here?.optionalScopes ?? optionals).filter(others.contains)
        client.optionalScopes =
            asked == nil && here != nil ? names : registrable(names, subject, report: &report)
        if named.contains("offline_access"), !client.optionalScopes.contains("offline_access") {
            client.optionalScopes.append("offline_access")
            report.add(.changed, subject, "must ask for offline_access to get it")
        }
    }

    /// Scopes of SAML have no meaning here, and a name with a space cannot be asked for.
    private func registrable(_ names: [String], _ subject: String, report: inout ImportReport)
        -> [String]
    {
        var registrable: [String] = []
        for name in names where !all.contains(name) {
            report.add(.skipped, subject, "scope \(name)", "the file does not describe it")
        }
        for name in names where known.contains(name) && !registrable.contains(name) {
            // `try?`: only whether it parses matters.
            if name != "openid", name.utf8.count <= 200, let scope = try? Scope(name),
                scope.tokens == [name]
            {
                registrable.append(name)
            } else {
                report.add(.skipped, subject, "scope \(name)", "no one can ask for that name")
            }
        }
        return registrable
    }
}
