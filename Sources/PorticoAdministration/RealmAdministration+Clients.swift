package import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Clients, their secrets and the accounts that they have for themselves.
extension RealmAdministration {
    /// - Parameters:
    ///   - secret: What becomes of its secret.
    ///   - defaultRoles: Those of its roles that new people get from now on.
    /// - Returns: The client as it is kept.
    @discardableResult
    package func create(
        _ client: Client,
        secret: ClientRegistration.Secret = .unchanged,
        giving defaultRoles: [RoleName] = [],
        by administrator: Administrator,
        at moment: Moment
    ) async throws -> Client {
        let rights = try await rights(
            of: administrator,
            in: client.realmID,
            needing: .createClients
        )
        try await expectWithin(rights, client, former: nil, defaultRoles)
        var client = try await registered(client, secret, nil, in: rights.realm, at: moment)
        client.lends = rights.lent(client.lends)
        do {
            try await expectRoomForAccount(of: client)
        } catch let refusal as AdministrationRefusal {
            // The account of a client of that name has the name, too.
            let isTaken = try await store.hasClient(client.clientID, realmID: client.realmID)
            throw isTaken ? .taken(client.taken) : refusal
        }
        try await write(.clientCreated, nil, client, by: administrator) {
            [client] in try await $0.create(client) == .created
        }
        try await setDefaultRoles(of: client, defaultRoles, by: administrator)
        try await setServiceAccount(of: client, rights.realm, at: moment)
        return client
    }

    /// - Parameters:
    ///   - secret: What becomes of its secret.
    ///   - defaultRoles: Those of its roles that new people get; `nil`: as before.
    ///   - kind: What the trail calls it.
    package func update(
        _ client: Client,
        replacing former: Client,
        secret: ClientRegistration.Secret = .unchanged,
        giving defaultRoles: [RoleName]? = nil,
        as kind: Event.Kind = .clientUpdated,
        by administrator: Administrator,
        at moment: Moment
    ) async throws {
        let rights = try await rights(of: former, for: administrator)
        try await expectWithin(rights, client, former: former, defaultRoles)
        var client = try await registered(client, secret, former, in: rights.realm, at: moment)
        client.lends = rights.lent(former.lends)
        if !former.grantTypes.contains(.clientCredentials) {
            try await expectRoomForAccount(of: client)
        }
        try await write(client, replacing: former, as: kind, by: administrator)
        if let defaultRoles {
            try await setDefaultRoles(of: client, defaultRoles, by: administrator)
        }
        try await setServiceAccount(of: client, rights.realm, at: moment)
    }

    /// Deletes a client, its roles, and the account that it has for itself.
    package func delete(_ client: Client, by administrator: Administrator) async throws {
        let rights = try await rights(of: client, for: administrator)
        if !rights.isUnlimited {
            // Its roles go with it, and what they contain is taken from those who have them.
            let roles = try await store.roles(realmID: client.realmID)
                .filter { $0.clientID.map { sameBytes($0, client.clientID) } ?? false }
            try Self.expect(rights.mayGive(roles.map(\.roleName)))
        }
        try await write(.clientDeleted, client, nil, by: administrator) {
            try await $0.deleteClient(id: client.id, replacing: client) == .changed
        }
    }

    private func write(
        _ client: Client,
        replacing former: Client,
        as kind: Event.Kind,
        by administrator: Administrator
    ) async throws {
        try await write(kind, former, client, by: administrator) {
            try await $0.update(client, replacing: former) == .changed
        }
    }

    // MARK: Rules of registration

    /// A client by the rules of registration, as it would be kept.
    ///
    /// - Parameter former: The client before. What it has without PKCE, it keeps.
    /// - Throws: ``ClientRegistration/Refusal``
    package func admission(
        of client: Client,
        secret: ClientRegistration.Secret,
        replacing former: Client?,
        at moment: Moment
    ) async throws -> ClientRegistration.Admission {
        var schemes: [String: [String]] = [:]
        for scheme in client.privateUseSchemes {
            schemes[scheme] = try await store.clients(withScheme: scheme, realmID: client.realmID)
        }
        return try ClientRegistration(ring: ring)(
            client,
            secret: secret,
            schemes: schemes,
            algorithms: try await algorithms(of: client.realmID, at: moment),
            isImported: Self.isImported(client, replacing: former),
            random: moment.random
        )
    }

    func algorithms(of realmID: String, at moment: Moment) async throws
        -> Set<SignatureAlgorithm>
    {
        let keys = try await store.keys(realmID: realmID)
        return SigningKeyRecord.activeAlgorithms(of: keys, at: moment.seconds)
    }

    private static func isImported(_ client: Client, replacing former: Client?) -> Bool {
        former?.type == .public && former?.codeProtection == client.codeProtection
    }

    /// The client with its secret, if it keeps the rules. What it broke before, because it was imported or a
    /// key is gone, it may go on to break, and no more; and the realm's own clients stand for none.
    private func registered(
        _ client: Client,
        _ secret: ClientRegistration.Secret,
        _ former: Client?,
        in realm: Realm,
        at moment: Moment
    ) async throws -> Client {
        if client.tokenForm != .standard, Client.isBuiltIn(client.clientID, in: realm.name) {
            return client
        }
        do {
            return try await admission(
                of: client,
                secret: secret,
                replacing: former,
                at: moment
            ).client
        } catch let refusal as ClientRegistration.Refusal {
            guard let former, case .unchanged = secret else {
                throw AdministrationRefusal.client(refusal)
            }
            let new = ClientRegistration.refusal(
                of: client,
                isImported: Self.isImported(client, replacing: former),
                beyond: (former, Self.isImported(former, replacing: former)),
                active: try await algorithms(of: client.realmID, at: moment)
            )
            if let new { throw AdministrationRefusal.client(new) }
            return client
        }
    }

    // MARK: Rights

    /// The rights of an administrator who may change the client.
    private func rights(of client: Client, for administrator: Administrator) async throws
        -> AdminRights
    {
        let rights = try await rights(
            of: administrator,
            in: client.realmID,
            needing: .manageClients
        )
        try Self.expect(rights.mayHandOff(client))
        guard !rights.isUnlimited else { return rights }
        try Self.expect(rights.mayChange(client, account: try await account(of: client)))
        return rights
    }

    /// Checks that no one gets more by the client than the administrator has: by its name, its mappers,
    /// its scopes, roles for new people, or an account of its own.
    private func expectWithin(
        _ rights: AdminRights,
        _ client: Client,
        former: Client?,
        _ defaultRoles: [RoleName]?
    ) async throws {
        try Self.expectAddable(client.mappers, over: former?.mappers ?? [], rights)
        guard !client.administers || !client.requiresConsent else {
            throw AdministrationRefusal.client(.administers)
        }
        let defaultRoles = defaultRoles ?? []
        let known = try await store.existing(defaultRoles, realmID: client.realmID)
        guard known.count == defaultRoles.count else {
            throw AdministrationRefusal.invalid(.defaultRoles)
        }
        try Self.expect(rights.mayHandOff(client))
        guard !rights.isUnlimited else { return }
        try Self.expect(client.administers == former?.administers ?? false)
        try Self.expect(rights.mayName(client.clientID))
        let defaults = former?.defaultScopes ?? []
        let formerly = defaults + (former?.optionalScopes ?? [])
        try await expectAssignable(
            client.defaultScopes.filter { !defaults.contains($0) }
                + client.optionalScopes.filter { !formerly.contains($0) },
            rights
        )
        let given = Set(rights.realm.defaultRoles)
        try Self.expect(rights.mayGive(Set(defaultRoles).subtracting(given)))
        if client.grantTypes.contains(.clientCredentials),
            former?.grantTypes.contains(.clientCredentials) != true
        {
            try Self.expect(rights.mayGive(given))
        }
    }

    /// Checks that the administrator may change the client, before anything is made of what they send.
    package func expectChangeable(_ client: Client, by administrator: Administrator) async throws {
        _ = try await rights(of: client, for: administrator)
    }

    // MARK: Secrets

    /// The secret of a client; `nil` where it has none, or only its hash is kept. From then on the client
    /// lends no more than the administrator has.
    package func showSecret(of client: Client, by administrator: Administrator) async throws
        -> SecretText?
    {
        let rights = try await rights(of: client, for: administrator)
        guard let secret = try secret(of: client) else { return nil }
        var noted = client
        noted.lends = rights.lent(client.lends)
        let event = event(.clientAction, client.target, "secret_shown", by: administrator)
        try await keep(noted, replacing: client, noting: event)
        return secret
    }

    /// A new secret of 86 characters, sealed: it can be shown again.
    package func renewSecret(
        of former: Client,
        by administrator: Administrator,
        at moment: Moment
    ) async throws -> SecretText {
        let rights = try await rights(of: former, for: administrator)
        guard former.type == .confidential, former.secret != nil else {
            throw AdministrationRefusal.invalid(.noSecret)
        }
        let secret = Self.newSecret(moment)
        var client = former
        client.lends = rights.lent(former.lends)
        client.secret = ClientSecretSeal(ring: ring).keep(
            secret,
            of: client.id,
            random: moment.random
        )
        let event = event(.clientAction, client.target, "secret_made", by: administrator)
        try await keep(client, replacing: former, noting: event)
        return secret
    }

    private func keep(_ client: Client, replacing former: Client, noting event: Event) async throws
    {
        guard client != former else { return try await store.events.note([event]) }
        let change = try await change(or: client.taken) {
            try await store.noting([event]).update(client, replacing: former)
        }
        guard change == .changed else { throw AdministrationRefusal.notFound(.client) }
    }

    /// What of a client's secret an administrator is shown with the client: only those who may change it
    /// and gain nothing by that. Others ask for it alone, which is noted.
    package func shownSecret(of client: Client, by administrator: Administrator) async throws
        -> SecretText?
    {
        guard client.secret != nil else { return nil }
        let rights = try await rights(of: administrator, in: client.realmID)
        guard rights.allows(.manageClients), rights.isBounded(client) else { return nil }
        let account = rights.isUnlimited ? nil : try await account(of: client)
        return rights.mayChange(client, account: account) ? try secret(of: client) : nil
    }

    package static func newSecret(_ moment: Moment) -> SecretText {
        SecretText(moment.random.text(64))
    }

    private func secret(of client: Client) throws -> SecretText? {
        try client.secret.flatMap { try ClientSecretSeal(ring: ring).open($0, of: client) }
    }

    // MARK: What comes with a client

    /// Takes its roles from what new people get, but for these.
    private func setDefaultRoles(
        of client: Client,
        _ roles: [RoleName],
        by administrator: Administrator
    ) async throws {
        guard let former = try await store.realm(id: client.realmID) else { return }
        var realm = former
        realm.defaultRoles.removeAll {
            $0.clientID.map { sameBytes($0, client.clientID) } ?? false && !roles.contains($0)
        }
        realm.defaultRoles += roles.filter { !realm.defaultRoles.contains($0) }
        guard realm != former else { return }
        try await write(realm, replacing: former, by: administrator)
    }

    private func account(of client: Client) async throws -> PersonWithRoles? {
        try await people.serviceAccount(of: client.id, realmID: client.realmID)
    }

    /// Makes the account that a client has for itself, as the client says; one that it has no longer went with
    /// the change of the client. One whose tokens have more than what mappers write has none: they say who it is
    /// without.
    private func setServiceAccount(of client: Client, _ realm: Realm, at moment: Moment)
        async throws
    {
        guard client.tokenForm != .standard, client.grantTypes.contains(.clientCredentials),
            try await account(of: client) == nil
        else { return }
        let id = UniqueID(random: moment.random).text
        let new = NewPerson(
            person: try newAccount(of: client, id: id, at: moment.seconds),
            password: nil,
            roles: try await store.existing(realm.defaultRoles, realmID: realm.id)
        )
        guard try await people.create(new) == .created else {
            throw AdministrationRefusal.taken(.username)
        }
    }

    private func newAccount(of client: Client, id: String, at now: Int64) throws -> Person {
        var person = Person(
            id: id,
            realmID: client.realmID,
            username: "service-account-\(client.clientID)",
            createdAt: now
        )
        person.serviceClientID = client.id
        do {
            return try registration.checked(person)
        } catch {
            throw AdministrationRefusal.invalid(.accountName)
        }
    }

    /// A client that is to have an account is not written where someone else has the name of it.
    private func expectRoomForAccount(of client: Client) async throws {
        guard client.tokenForm != .standard, client.grantTypes.contains(.clientCredentials)
        else { return }
        let account = try newAccount(of: client, id: client.id, at: 0)
        // Of people and of other clients: user names are alike in any case, `client_id`s are not.
        let owners = try await people.owners(
            usernames: [account.username],
            emails: [],
            realmID: client.realmID
        )
        guard owners.usernames.isEmpty else { throw AdministrationRefusal.taken(.username) }
    }
}

/// What has mappers.
package enum MapperOwner: Sendable {
    case client(Client)
    case scope(ClientScope)

    package var mappers: [ClaimMapper] {
        switch self {
        case .client(let client): client.mappers
        case .scope(let scope): scope.mappers
        }
    }

    package func with(_ mappers: [ClaimMapper]) -> MapperOwner {
        switch self {
        case .client(var client):
            client.mappers = mappers
            return .client(client)
        case .scope(var scope):
            scope.mappers = mappers
            return .scope(scope)
        }
    }
}

extension RealmAdministration {
    /// - Parameter kind: What becomes of its mappers.
    package func update(
        _ owner: MapperOwner,
        replacing former: MapperOwner,
        as kind: Event.Kind,
        by administrator: Administrator,
        at moment: Moment
    ) async throws {
        switch (owner, former) {
        case (.client(let client), .client(let former)):
            try await update(client, replacing: former, as: kind, by: administrator, at: moment)
        case (.scope(let scope), .scope(let former)):
            try await update(scope, replacing: former, as: kind, by: administrator)
        default: throw ChangedMeanwhile()
        }
    }
}
