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
        try await write(.scopeCreated, nil, scope, by: administrator) {
            try await $0.create(scope) == .created
        }
    }

    /// - Parameter kind: What the trail calls it.
    package func update(
        _ scope: ClientScope,
        replacing former: ClientScope,
        as kind: Event.Kind = .scopeUpdated,
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(of: former, for: administrator)
        try Self.check(scope)
        try Self.expectAddable(scope.mappers, over: former.mappers, rights)
        try await write(kind, former, scope, by: administrator) {
            try await $0.update(scope, replacing: former) == .changed
        }
    }

    /// Deletes a client scope, and takes it from everything that has it, grants and consents too.
    package func delete(_ scope: ClientScope, by administrator: Administrator) async throws {
        _ = try await rights(of: scope, for: administrator)
        try await write(.scopeDeleted, scope, nil, by: administrator) {
            try await $0.deleteScope(
                id: scope.id,
                realmID: scope.realmID,
                claims: StandardClaims.claims(of: scope.name)
            ) == .changed
        }
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
        own.defaultClientScopes = former.defaultClientScopes
        own.optionalClientScopes = former.optionalClientScopes
        try Self.expect(own == former)
        let kind: Event.Kind = scope == nil ? .clientScopeDeleted : .clientScopeUpdated
        try await write(realm, replacing: former, as: kind, by: administrator)
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
        guard Scope.isToken(scope.name), scope.name != "openid",
            scope.document.serialized().count <= 1 << 20
        else { throw AdministrationRefusal.invalid(.scopeName(scope.name)) }
    }
}
