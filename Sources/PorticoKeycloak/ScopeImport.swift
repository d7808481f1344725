import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Imports Keycloak's client scopes, and which roles clients without full scope see (Keycloak
/// `ClientScopeRepresentation`, `ScopeMappingRepresentation`).
struct ScopeImport {
    let realm: Realm
    let moment: Moment
    var existing: ExistingRealm?

    func callAsFunction(
        _ representation: Representation,
        ids: inout ImportedIDs,
        report: inout ImportReport
    ) throws(RealmImportError) -> [ClientScope] {
        guard representation.object["clientScopes"] != nil else {
            if let existing, !existing.scopes.isEmpty {
                report.add(.read, "client scopes", "the file has none: those that are here stay")
                return existing.scopes.values.sorted { $0.name < $1.name }
            }
            report.keep("client scopes", "the file has none: Keycloak's own are made")
            return BuiltInScopes.scopes(of: realm, moment)
        }
        var scopes: [ClientScope] = []
        var names: Set<ExactText> = []
        for scope in try representation.children("clientScopes") {
            guard let name = try scope.text("name") else {
                throw .missing(path: scope.path(of: "name"))
            }
            guard names.insert(ExactText(name)).inserted else {
                report.add(.skipped, "scope \(name)", "the file has it twice")
                continue
            }
            var made = ClientScope(
                id: ids.take(
                    try scope.text("id"),
                    here: existing?.scopes[ExactText(name)]?.id,
                    existing,
                    random: moment.random
                ),
                realmID: realm.id,
                name: name
            )
            try made.read(scope)
            scopes.append(made)
            report.add(.read, "scope \(name)", "")
            MapperList(made.mappers, [:]).add("scope \(name)", to: &report)
        }
        return scopes
    }

    /// `scopeMappings` are of the realm's roles, `clientScopeMappings` of the roles of each client.
    ///
    /// A scope that shows roles is only for people with one of them: where none of its roles is
    /// imported, it is for no one.
    func limits(
        _ representation: Representation,
        clients: [Client],
        scopes: inout [ClientScope],
        roles: ImportedRoles,
        report: inout ImportReport
    ) throws(RealmImportError) -> [RoleLimit] {
        let owners = Owners(clients: clients, scopes: scopes)
        var limits: [RoleLimit] = []
        for mapping in try representation.children("scopeMappings") {
            limits += try owners.limits(mapping, of: nil, roles: roles, report: &report)
        }
        if let byClient = try representation.child("clientScopeMappings") {
            for (clientID, mappings) in try byClient.childrenByName() {
                for mapping in mappings {
                    limits += try owners.limits(
                        mapping,
                        of: clientID,
                        roles: roles,
                        report: &report
                    )
                }
            }
        }
        let named = try Self.limitedScopes(representation)
        for index in scopes.indices where named.contains(ExactText(scopes[index].name)) {
            scopes[index].isLimited = true
        }
        return limits
    }

    /// The names of the scopes that a file has roles of, be it none any more.
    private static func limitedScopes(_ representation: Representation) throws(RealmImportError)
        -> Set<ExactText>
    {
        var mappings = try representation.children("scopeMappings")
        if let byClient = try representation.child("clientScopeMappings") {
            mappings += try byClient.childrenByName().flatMap(\.children)
        }
        var names: Set<ExactText> = []
        for mapping in mappings where try mapping.strings("roles") != nil {
            if let name = try mapping.text("clientScope") { names.insert(ExactText(name)) }
        }
        return names
    }

    private struct Owners {
        private let clients: [ExactText: String]
        private let scopes: [ExactText: String]

        init(clients: [Client], scopes: [ClientScope]) {
            self.clients = clients.keyed { ExactText($0.clientID) }.mapValues(\.id)
            self.scopes = scopes.keyed { ExactText($0.name) }.mapValues(\.id)
        }

        func limits(
            _ mapping: Representation,
            of clientID: String?,
            roles: ImportedRoles,
            report: inout ImportReport
        ) throws(RealmImportError) -> [RoleLimit] {
            let client = try mapping.text("client")
            let scope = try mapping.text("clientScope")
            let subject = client.map { "client \($0)" } ?? scope.map { "scope \($0)" } ?? ""
            let owner =
                client.flatMap { clients[ExactText($0)] }.map(RoleLimit.Owner.client)
                ?? scope.flatMap { scopes[ExactText($0)] }.map(RoleLimit.Owner.scope)
            guard let owner else {
                report.add(.skipped, subject, "shows roles, but is not imported")
                return []
            }
            let names = (try mapping.strings("roles") ?? []).map {
                RoleName(clientID: clientID, name: $0)
            }
            return roles.known(names, subject, report: &report).map {
                RoleLimit(owner: owner, role: $0)
            }
        }
    }
}
