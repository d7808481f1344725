import HTTPTypes
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores

/// What commands change in realms: by the implementation that the administration over HTTP has.
extension Administration {
    /// Lends what makes changes.
    func changing<Value>(_ body: (RealmAdministration) async throws -> Value) async throws
        -> Value
    {
        try await installation.registering { registration in
            try await body(
                RealmAdministration(
                    realms: nil,
                    store: realms,
                    people: people,
                    sessions: installation.sessions,
                    grants: installation.grants,
                    ring: installation.ring,
                    registration: registration,
                    baseURL: installation.publicURL
                )
            )
        }
    }

    /// The same, to create something.
    ///
    /// - Parameter taken: Says that something of that name is there.
    func creating(
        or taken: @autoclosure () -> Failure,
        _ body: (RealmAdministration) async throws -> Void
    ) async throws {
        do {
            try await changing(body)
        } catch let refusal as AdminRefusal where refusal.status == .conflict {
            throw taken()
        }
    }

    /// Deletes something, as ``Deletion`` does it.
    func deleting(_ body: (RealmAdministration) async throws -> Void) async throws -> Change {
        try await changing(body)
        return .changed
    }

    // MARK: What is in a realm

    func graph(of realm: Realm) -> RoleGraph { snapshot.graphs[realm.id] ?? .empty }

    /// What new people of the realm get.
    func defaults(of realm: Realm) -> NewPersonDefaults {
        NewPersonDefaults(realm, clients: clients(of: realm), graph: graph(of: realm))
    }

    func scopes(of realm: Realm) -> [ClientScope] {
        snapshot.scopes.filter { $0.realmID == realm.id }
    }

    func scope(_ name: String, in realm: Realm) throws(Failure) -> ClientScope {
        try expectKeycloaks(realm)
        return try find(
            "client scope",
            name,
            among: scopes(of: realm),
            by: \.name,
            portico("scope list --realm \(realm.name)")
        )
    }

    /// The group of that path; a group at the top may be named without its slash.
    func group(_ path: String, in realm: Realm) throws(Failure) -> Group {
        let graph = graph(of: realm)
        if let group = graph.group(atPath: path) { return group }
        let path = path.hasPrefix("/") ? path : "/" + path
        let paths = graph.allGroups.map { graph.path(of: $0.group.id) }.sorted()
        guard !paths.contains(where: { sameBytes($0, path) }) else {
            throw Failure(
                .refused,
                "Two groups have the path \(printable(path)): one has a name with a slash.",
                "Rename one by its id (docs/admin-rest.md). "
                    + "The ids: \(portico("group list --realm \(realm.name) --json"))"
            )
        }
        throw missing(
            "group",
            path,
            among: paths,
            portico("group list --realm \(realm.name)")
        )
    }

    // MARK: Realms of Keycloak's kind

    func expectKeycloaks(_ realm: Realm) throws(Failure) {
        guard realm.keycloak == nil else { return }
        throw Failure(
            .refused,
            "Realm \(realm.name) is not of Keycloak's kind: it has no client scopes and mappers.",
            "Such a realm is imported, or made: \(portico("realm create NAME --keycloak"))"
        )
    }

    func expectKeycloaks(_ client: Client) throws(Failure) {
        guard client.keycloak == nil else { return }
        throw Failure(
            .refused,
            "Client \(client.clientID) is not of Keycloak's kind: what it gets, its own options say.",
            "See: portico client update --help",
            "Such a client is imported, or made: \(portico("client create ID --keycloak"))"
        )
    }

    /// Makes a new client one of Keycloak's kind.
    func makeKeycloaks(_ client: inout Client, in realm: Realm) throws(Failure) {
        try expectKeycloaks(realm)
        client.becomeKeycloaks(in: realm, scopes: scopes(of: realm))
    }

    /// Scopes whose claims a client gets without mappers.
    private static let standardScopes: Set = [
        "profile", "email", "address", "phone", "offline_access", "roles", "groups", "device_sso",
    ]

    /// The mappers of a realm's client scope are for clients of Keycloak's kind: at another one, the scope
    /// would be granted and do nothing.
    private func expectScopesWithEffect(_ client: Client, besides known: [String], in realm: Realm)
        throws(Failure)
    {
        let mapped = Set(
            scopes(of: realm).filter { !MapperOwner.scope($0).mappers.isEmpty }
                .map { ExactText($0.name) }
        )
        for name in client.defaultScopes + client.optionalScopes
        where mapped.contains(ExactText(name)) && !Self.standardScopes.contains(name)
            && !known.contains(where: { sameBytes($0, name) })
        {
            let id = client.clientID
            throw Failure(
                .refused,
                "Scope \(printable(name)) has no effect at client \(printable(id)): its mappers are "
                    + "for clients of Keycloak's kind, and this one is not.",
                "Say what its tokens have: "
                    + portico(
                        "client update \(id) --realm \(realm.name) --claim NAME=SOURCE --audience NAME"
                    ),
                "Or make one of that kind: "
                    + portico("client create ID --realm \(realm.name) --keycloak")
            )
        }
    }

    /// The clients that have a scope, and for which its mappers do nothing.
    func clientsWithoutMappers(of scope: ClientScope, in realm: Realm) -> [Client] {
        guard !Self.standardScopes.contains(scope.name) else { return [] }
        return clients(of: realm).filter { client in
            client.keycloak == nil
                && (client.defaultScopes + client.optionalScopes)
                    .contains { sameBytes($0, scope.name) }
        }
    }

    /// A client of Keycloak's kind has scopes that its realm has, and addresses that are written out.
    ///
    /// - Parameter former: What the client was before.
    func check(_ client: Client, replacing former: Client?, in realm: Realm) throws {
        let known = (former?.defaultScopes ?? []) + (former?.optionalScopes ?? [])
        guard client.keycloak != nil else {
            return try expectScopesWithEffect(client, besides: known, in: realm)
        }
        for name in client.defaultScopes + client.optionalScopes
        where !known.contains(where: { sameBytes($0, name) }) {
            _ = try scope(name, in: realm)
        }
        try client.checkWrittenOut(former: former, in: realm)
    }
}
