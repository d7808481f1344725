import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Realms, their keys, and what is kept of them as data.
extension RealmAdministration {
    package func create(_ new: NewRealm, by administrator: Administrator) async throws {
        try Self.expect(administrator.isServerAdministrator)
        try await write(.realmCreated, nil, new.realm, by: administrator, or: .id) {
            try await $0.create(new) == .created
        }
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
        // Without one its tokens could not be signed.
        if realm.signingAlgorithm != former.signingAlgorithm {
            let active = try await algorithms(of: former.id, at: clock.moment())
            guard active.contains(realm.signingAlgorithm) else {
                throw AdministrationRefusal.invalid(.signingAlgorithm(realm.signingAlgorithm))
            }
        }
        try await write(realm, replacing: former, by: administrator)
    }

    func write(
        _ realm: Realm,
        replacing former: Realm,
        as kind: Event.Kind = .realmUpdated,
        by administrator: Administrator
    ) async throws {
        try await write(kind, former, realm, by: administrator, or: .id) {
            try await $0.update(realm, replacing: former) == .changed
        }
    }

    package func delete(_ realm: Realm, by administrator: Administrator) async throws {
        try Self.expect(administrator.isServerAdministrator)
        // Over HTTP no one takes away what they administer by.
        try Self.expect(
            administrator.actor == .commandLine || realm.name != AdminRights.master
        )
        try await write(.realmDeleted, realm, nil, by: administrator) {
            try await $0.deleteRealm(id: realm.id) == .changed
        }
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
        let noting = store.noting(
            [(Event.Kind.keyCreated, adding), (.keyUpdated, changing)].flatMap { kind, keys in
                keys.map { key in
                    let name = key.algorithm.rawValue
                    let target = TrailTarget(id: key.keyID, name: name, realmID: realm.id)
                    return event(kind, target, by: administrator)
                }
            }
        )
        try await change(or: .id) { try await noting.rotate(adding: adding, changing: changing) }
    }

    // MARK: What is kept as data

    /// Keeps a part in place of the one of its kind and id.
    package func put(
        _ part: RealmPart,
        by administrator: Administrator,
        needing right: AdminRight
    ) async throws {
        _ = try await rights(of: administrator, in: part.realmID, needing: right)
        let former = try await store.parts(part.kind, realmID: part.realmID)
            .first { sameBytes($0.id, part.id) }
        let kind = part.kinds[former == nil ? 0 : 1]
        try await store.noting([event(kind, former, part, by: administrator)]).put(part)
    }

    package func delete(
        _ part: RealmPart,
        by administrator: Administrator,
        needing right: AdminRight
    ) async throws {
        _ = try await rights(of: administrator, in: part.realmID, needing: right)
        _ = try await store.noting([event(part.kinds[2], part, nil, by: administrator)])
            .deletePart(part.kind, id: part.id, realmID: part.realmID)
    }
}

extension RealmPart {
    /// What the trail calls it that one is created, updated, deleted.
    fileprivate var kinds: [Event.Kind] {
        switch kind {
        case "identityProviders":
            [.identityProviderCreated, .identityProviderUpdated, .identityProviderDeleted]
        case "identityProviderMappers": [.mapperCreated, .mapperUpdated, .mapperDeleted]
        default: [.settingCreated, .settingUpdated, .settingDeleted]
        }
    }
}
