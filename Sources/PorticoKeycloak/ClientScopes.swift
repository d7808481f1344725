import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Which scopes a client gets, and which it may ask for (Keycloak `ClientRepresentation`).
struct ClientScopes {
    private let all: Set<String>
    /// Those of OpenID Connect.
    private let known: Set<String>
    /// What the realm gives a client that says nothing of them.
    private let usual: Names
    /// What a client has already, and nothing is said of.
    private var standing = Names(defaults: [], optionals: [])

    private struct Names {
        let defaults: [String]
        let optionals: [String]
    }

    init(_ scopes: [ClientScope], defaults: [String], optionals: [String]) {
        all = Set(scopes.map(\.name))
        known = Set(scopes.filter(\.isOffered).map(\.name))
        usual = Names(defaults: defaults, optionals: optionals)
    }

    /// For a client that has said something before.
    func over(_ former: JSONObject) -> ClientScopes {
        var scopes = self
        scopes.standing = Names(
            defaults: former.strings("defaultClientScopes") ?? usual.defaults,
            optionals: former.strings("optionalClientScopes") ?? usual.optionals
        )
        return scopes
    }

    func apply(
        to client: inout Client,
        _ representation: Representation,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let subject = "client \(client.clientID)"
        let named = try representation.strings("defaultClientScopes") ?? usual.defaults
        let asked = try representation.strings("optionalClientScopes") ?? usual.optionals
        let own = Names(
            defaults: unlisted(client.defaultScopes, among: named, standing.defaults),
            optionals: unlisted(client.optionalScopes, among: asked, standing.optionals)
        )
        // What needs consent must be requested (OpenID Connect Core §11).
        client.defaultScopes =
            registrable(named, standing.defaults, subject, report: &report)
            .filter { $0 != "offline_access" && $0 != "device_sso" }
        let others = Set(asked).subtracting(client.defaultScopes)
        client.optionalScopes = registrable(
            asked.filter(others.contains),
            standing.optionals,
            subject,
            report: &report
        )
        client.defaultScopes += own.defaults
        client.optionalScopes += own.optionals
        if named.contains("offline_access"), !client.optionalScopes.contains("offline_access") {
            client.optionalScopes.append("offline_access")
            guard !standing.defaults.contains("offline_access") else { return }
            report.add(.changed, subject, "must ask for offline_access to get it")
        }
    }

    /// Scopes that only this server has, and that are no client scopes.
    private func unlisted(_ own: [String], among names: [String], _ standing: [String])
        -> [String]
    {
        own.filter { standing.contains($0) && names.contains($0) && !all.contains($0) }
    }

    /// Scopes of SAML have no meaning here, and a name with a space cannot be asked for.
    private func registrable(
        _ names: [String],
        _ standing: [String],
        _ subject: String,
        report: inout ImportReport
    ) -> [String] {
        var registrable: [String] = []
        for name in names where !all.contains(name) && !standing.contains(name) {
            report.add(.skipped, subject, "scope \(name)", "the file does not describe it")
        }
        for name in names where known.contains(name) && !registrable.contains(name) {
            // `try?`: only whether it parses matters.
            if name != "openid", name.utf8.count <= 200, let scope = try? Scope(name),
                scope.tokens == [name]
            {
                registrable.append(name)
            } else if !standing.contains(name) {
                report.add(.skipped, subject, "scope \(name)", "no one can ask for that name")
            }
        }
        return registrable
    }
}
