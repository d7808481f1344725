import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Realms, their keys, and what is kept of them as data.
extension RealmAdministration {
    package func create(_ new: NewRealm, by administrator: Administrator) async throws {
        try Self.expect(administrator.isServerAdministrator)
        let creation = try await change(or: .id) { try await store.create(new) }
        guard creation == .created else {
            throw AdministrationRefusal.taken(.realm(new.realm.name))
        }
        try await note(.realmCreated, nil, new.realm, by: administrator)
    }

    /// - Parameter right: What the change needs.
    package func update(
        _ realm: Realm,
        replacing former: Realm,
        by administrator: Administrator,
        needing right: AdminRight = .manageRealm
    ) async throws {
        let rights = try await rights(of: administrator, in: former.id, needing: right)
        if !rights.isUnlimited {
            // Either ends the sessions of those with more rights too.
            try Self.expect(
                realm.notBefore == former.notBefore && (realm.isEnabled || !former.isEnabled)
            )
            // What new people get: by itself, and by making themselves.
            let defaults = AdminRights(administrator, in: realm, graph: rights.graph)
            let isMore =
                realm.registration != nil && former.registration == nil
                || realm.defaultRoles != former.defaultRoles
                || realm.defaultGroupIDs != former.defaultGroupIDs
            try Self.expect(!isMore || defaults.mayGiveDefaults)
        }
        try await write(realm, replacing: former, by: administrator)
    }

    func write(
        _ realm: Realm,
        replacing former: Realm,
        as kind: Event.Kind = .realmUpdated,
        by administrator: Administrator
    ) async throws {
        let change = try await change(or: .id) {
            try await store.update(realm, replacing: former)
        }
        guard change == .changed else { throw AdministrationRefusal.notFound(.realm) }
        try await note(kind, former, realm, by: administrator)
    }

    package func delete(_ realm: Realm, by administrator: Administrator) async throws {
        try Self.expect(administrator.isServerAdministrator)
        // Over HTTP no one takes away what they administer by.
        try Self.expect(
            administrator.actor == .commandLine || realm.name != AdminRights.master
        )
        let change = try await change(or: .id) { try await store.deleteRealm(id: realm.id) }
        guard change == .changed else { throw AdministrationRefusal.notFound(.realm) }
        try await note(.realmDeleted, realm, nil, by: administrator)
    }

    /// Ends every session of a realm. Offline ones stay.
    package func signOutEveryone(
        of former: Realm,
        by administrator: Administrator,
        at now: Int64
    ) async throws {
        let rights = try await rights(of: administrator, in: former.id, needing: .manageUsers)
        // Those with more rights would be signed out too.
        try Self.expect(rights.isUnlimited)
        // Refresh tokens of the server before are sessions that are not here yet.
        if former.tokenSwap != nil {
            var realm = former
            realm.notBefore = max(realm.notBefore, now)
            try await write(realm, replacing: former, by: administrator)
        }
        try await sessions.endAll(realmID: former.id, at: now)
        try await note(.realmAction, former.target, "signed_out", by: administrator)
    }

    // MARK: Keys

    /// Adds keys, and retires others, as ``KeyRotation`` says.
    package func rotate(
        keysOf realm: Realm,
        adding: [SigningKeyRecord],
        changing: [SigningKeyRecord] = [],
        by administrator: Administrator
    ) async throws {
        _ = try await rights(of: administrator, in: realm.id, needing: .manageRealm)
        _ = try await change(or: .id) { try await store.rotate(adding: adding, changing: changing) }
        for (kind, keys) in [(Event.Kind.keyCreated, adding), (.keyUpdated, changing)] {
            for key in keys {
                let target = TrailTarget(
                    id: key.keyID,
                    name: key.algorithm.rawValue,
                    realmID: realm.id
                )
                try await note(kind, target, by: administrator)
            }
        }
    }

    // MARK: What is kept as data

    /// Keeps a part in place of the one of its kind and id.
    package func put(
        _ part: RealmPart,
        by administrator: Administrator,
        needing right: AdminRight
    ) async throws {
        _ = try await rights(of: administrator, in: part.realmID, needing: right)
        let former = try await kept(part)
        try await store.put(part)
        try await note(former, part, by: administrator)
    }

    package func delete(
        _ part: RealmPart,
        by administrator: Administrator,
        needing right: AdminRight
    ) async throws {
        _ = try await rights(of: administrator, in: part.realmID, needing: right)
        let former = try await kept(part)
        _ = try await store.deletePart(part.kind, id: part.id, realmID: part.realmID)
        try await note(former, nil, by: administrator)
    }

    private func kept(_ part: RealmPart) async throws -> RealmPart? {
        try await store.parts(part.kind, realmID: part.realmID)
            .first { sameBytes($0.id, part.id) }
    }
}
