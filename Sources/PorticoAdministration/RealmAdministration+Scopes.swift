import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Client scopes, and which of them new clients get.
extension RealmAdministration {
    package func create(_ scope: ClientScope, by administrator: Administrator) async throws {
        let rights = try await rights(
            of: administrator,
            in: scope.realmID,
            needing: .manageClients
        )
        try Self.check(scope)
        try Self.expectAddable(scope.mappers, over: [], rights)
        let creation = try await change(or: .scope(scope.name)) { try await store.create(scope) }
        guard creation == .created else {
            throw AdministrationRefusal.taken(.scope(scope.name))
        }
        try await note(.scopeCreated, nil, scope, by: administrator)
    }

    package func update(
        _ scope: ClientScope,
        replacing former: ClientScope,
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(of: former, for: administrator)
        try Self.check(scope)
        try Self.expectAddable(scope.mappers, over: former.mappers, rights)
        let change = try await change(or: .scope(scope.name)) {
            try await store.update(scope, replacing: former)
        }
        guard change == .changed else { throw AdministrationRefusal.notFound(.scope) }
        try await note(.scopeUpdated, former, scope, by: administrator)
    }

    /// Deletes a client scope, and takes it from everything that has it, grants and consents too:
    /// nothing is left that names it.
    package func delete(_ scope: ClientScope, by administrator: Administrator) async throws {
        _ = try await rights(of: scope, for: administrator)
        let kept = try await store.snapshot()
        for former in kept.clients where former.realmID == scope.realmID {
            let client = former.without(scope.name)
            guard client != former else { continue }
            _ = try await change(or: .id) { try await store.update(client, replacing: former) }
        }
        for former in kept.realms where former.id == scope.realmID {
            var realm = former
            realm.kept.remove(
                scope.name,
                from: ["defaultDefaultClientScopes", "defaultOptionalClientScopes"]
            )
            guard realm != former else { continue }
            _ = try await change(or: .id) { try await store.update(realm, replacing: former) }
        }
        let change = try await change(or: .id) {
            try await store.deleteScope(
                id: scope.id,
                realmID: scope.realmID,
                claims: StandardClaims.claims(of: scope.name)
            )
        }
        guard change == .changed else { throw AdministrationRefusal.notFound(.scope) }
        try await note(.scopeDeleted, scope, nil, by: administrator)
    }

    /// Changes which client scopes new clients of a realm get.
    ///
    /// - Parameter scope: The one that they get from then on; `nil`: one is taken away.
    package func update(
        _ realm: Realm,
        replacing former: Realm,
        givingNewClients scope: ClientScope?,
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(of: administrator, in: realm.id, needing: .manageClients)
        if let scope { try await expectAssignable(scope, rights) }
        // The realm's own settings are the realm's administrators'.
        var own = realm
        own.kept = former.kept
        try Self.expect(own == former)
        try await write(realm, replacing: former, by: administrator)
    }

    /// The rights of an administrator who may change the scope.
    private func rights(of scope: ClientScope, for administrator: Administrator) async throws
        -> AdminRights
    {
        let rights = try await rights(
            of: administrator,
            in: scope.realmID,
            needing: .manageClients
        )
        try await expectAssignable(scope, rights)
        return rights
    }

    /// RFC 6749 §3.3: a scope that no one can ask for is none.
    ///
    /// - Throws: ``AdministrationRefusal``
    package static func check(_ scope: ClientScope) throws {
        // `try?`: only whether it parses matters.
        guard (1...200).contains(scope.name.utf8.count),
            (try? Scope(scope.name))?.tokens == [scope.name], scope.name != "openid",
            scope.document.serialized().count <= 1 << 20
        else { throw AdministrationRefusal.invalid(.scopeName(scope.name)) }
    }
}

extension Client {
    /// Without a client scope.
    package func without(_ scope: String) -> Client {
        var client = self
        client.defaultScopes.removeAll { sameBytes($0, scope) }
        client.optionalScopes.removeAll { sameBytes($0, scope) }
        client.kept.remove(scope, from: ["defaultClientScopes", "optionalClientScopes"])
        return client
    }
}

extension KeptRepresentation? {
    /// Removes a text from lists of texts.
    package mutating func remove(_ text: String, from members: [String]) {
        // `try?`: what cannot be read names nothing.
        let limits = JSONLimits(size: 64 << 20, depth: 48).keepingDigits
        guard let json = self?.json.utf8,
            var object = try? JSONObject(parsing: Array(json), limits: limits)
        else { return }
        var isChanged = false
        for member in members {
            guard let texts = object[member]?.strings,
                texts.contains(where: { sameBytes($0, text) })
            else { continue }
            object[member] = .array(
                texts.filter { !sameBytes($0, text) }.map(JSONValue.string)
            )
            isChanged = true
        }
        if isChanged { self = KeptRepresentation(object) }
    }
}
