import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores

/// What commands change in realms: by the implementation that the administration over HTTP has.
extension Administration {
    func changing<Value>(_ body: (RealmAdministration) async throws -> Value) async throws
        -> Value
    {
        try await installation.changing(body)
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
        } catch AdministrationRefusal.taken {
            throw taken()
        }
    }

    func deleting(_ body: (RealmAdministration) async throws -> Void) async throws -> Change {
        try await changing(body)
        return .changed
    }

    // MARK: What is in a realm

    func graph(of realm: Realm) async throws -> RoleGraph {
        try await realms.roleGraph(realmID: realm.id)
    }

    func scopes(of realm: Realm) async throws -> [ClientScope] {
        try await realms.scopes(realmID: realm.id)
    }

    func scope(_ name: String, in realm: Realm) async throws -> ClientScope {
        try find(
            "client scope",
            name,
            among: try await scopes(of: realm),
            by: \.name,
            portico("scope list --realm \(realm.name)")
        )
    }

    /// The group of that path; a group at the top may be named without its slash.
    func group(_ path: String, in realm: Realm) async throws -> Group {
        let graph = try await graph(of: realm)
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
        throw missing("group", path, among: paths, portico("group list --realm \(realm.name)"))
    }

    // MARK: Clients

    /// The standard scopes that a client has and its realm does not.
    private func missingScopes(of client: Client, in realm: Realm) async throws -> [ClientScope] {
        let known = try await scopes(of: realm)
        return (client.defaultScopes + client.optionalScopes)
            .filter { name in !known.contains { sameBytes($0.name, name) } }
            .compactMap {
                StandardScopes.scope(named: $0, ofRealm: realm.id, random: moment.random)
            }
    }

    /// Makes them: realms of files may lack some.
    func makeMissingScopes(of client: Client, in realm: Realm) async throws {
        for scope in try await missingScopes(of: client, in: realm) {
            do {
                try await changing { try await $0.create(scope, by: .commandLine) }
            } catch AdministrationRefusal.taken {
                continue
            }
            console.done("Created client scope \(scope.name) in realm \(realm.name).")
        }
    }

    /// Its scopes are the realm's or standard ones, it hands its sign-in on to clients of the realm, and its
    /// new addresses are written out.
    ///
    /// - Parameter former: What the client was before.
    func check(_ client: Client, replacing former: Client?, in realm: Realm) async throws {
        let made = try await missingScopes(of: client, in: realm)
        for name in client.defaultScopes + client.optionalScopes
        where !made.contains(where: { sameBytes($0.name, name) }) {
            _ = try await scope(name, in: realm)
        }
        for target in client.loginTokenTargets where !sameBytes(target.clientID, client.clientID) {
            _ = try await self.client(target.clientID, in: realm)
        }
        try client.checkWrittenOut(former: former, in: realm)
    }
}
