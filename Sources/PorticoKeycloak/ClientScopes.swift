import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The client scopes of a Keycloak realm (Keycloak `ClientScopeRepresentation`), and what a client
/// gets from them: names of scope tokens, and the mappers of scopes that it always has.
struct ClientScopes {
    private let mappers: [String: [Representation]]
    private let tokens: Set<String>
    private let defaults: [String]
    private let optionals: [String]

    /// Scopes with the same name in Portico.
    private static let standard: Set<String> = [
        "openid", "profile", "email", "address", "phone", "offline_access", "roles",
    ]
    /// Keycloak's own: their claims are always in our tokens, or have no meaning in Portico.
    private static let builtIn: Set<String> = [
        "web-origins", "acr", "basic", "microprofile-jwt", "organization", "service_account",
        "role_list", "saml_organization",
    ]

    /// Often made in Keycloak, for groups of people; Portico uses the same name for something else.
    private static let flatRoles = "groups"

    init(_ realm: Representation) throws(RealmImportError) {
        var mappers: [String: [Representation]] = [:]
        var tokens: Set<String> = []
        for scope in try realm.children("clientScopes") {
            guard let name = try scope.text("name") else {
                throw .missing(path: scope.path(of: "name"))
            }
            mappers[name] = try scope.children("protocolMappers")
            let isShown =
                try scope.child("attributes")?.setting("include.in.token.scope") != "false"
            if isShown { tokens.insert(name) }
        }
        self.mappers = mappers
        self.tokens = tokens
        defaults =
            try realm.strings("defaultDefaultClientScopes") ?? ["profile", "email", "roles"]
        optionals =
            try realm.strings("defaultOptionalClientScopes")
            ?? ["address", "phone", "offline_access"]
    }

    func apply(
        to client: inout Client,
        _ representation: Representation,
        report: inout ImportReport
    )
        throws(RealmImportError)
    {
        let subject = "client \(client.clientID)"
        let named = try representation.strings("defaultClientScopes") ?? defaults
        let asked = try representation.strings("optionalClientScopes") ?? optionals
        // What needs consent must be requested (OpenID Connect Core §11).
        client.defaultScopes = known(named, subject, report: &report)
            .filter { $0 != "offline_access" && $0 != "openid" }
        client.optionalScopes = known(asked, subject, report: &report)
            .filter { $0 != "openid" }
        if named.contains("offline_access"), !client.optionalScopes.contains("offline_access") {
            client.optionalScopes.append("offline_access")
            report.add(.changed, subject, "must ask for offline_access to get it")
        }
        var mapping = MapperImport(subject: subject)
        try mapping.add(try representation.children("protocolMappers"), report: &report)
        for name in named where isOwn(name) {
            try mapping.add(mappers[name] ?? [], report: &report)
        }
        for name in asked where isOwn(name) && mappers[name]?.isEmpty == false {
            let shown = PlainText.shown(name)
            report.add(.skipped, subject, "mappers of optional scope \(shown): not imported yet")
        }
        client.mappers = mapping.mappers
    }

    private func isOwn(_ name: String) -> Bool {
        !Self.standard.contains(name) && !Self.builtIn.contains(name)
    }

    private func known(_ names: [String], _ subject: String, report: inout ImportReport)
        -> [String]
    {
        var known: [String] = []
        for name in names where !Self.builtIn.contains(name) && !known.contains(name) {
            if name == Self.flatRoles, mappers[name] != nil {
                report.add(
                    .changed,
                    subject,
                    "scope groups gives the person's roles here: left out, client update adds it"
                )
            } else if Self.standard.contains(name) || tokens.contains(name) {
                known.append(name)
            } else if mappers[name] == nil {
                let shown = PlainText.shown(name)
                report.add(.skipped, subject, "scope \(shown): the file does not describe it")
            }
        }
        return known
    }
}
