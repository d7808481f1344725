package import PorticoAdministration
package import PorticoBytes
import PorticoProtocol
package import PorticoProvider
package import PorticoStores

/// Clients.
extension RealmAdministration {
    package func create(_ client: Client) async throws {
        let conflict = AdminRefusal.conflict("Client \(client.clientID) already exists")
        do {
            try await expectRoomForAccount(of: client)
        } catch let refusal as AdminRefusal {
            // The account of a client of that name has the name, too.
            let isTaken = try await store.snapshot().clients.contains {
                $0.realmID == client.realmID && sameBytes($0.clientID, client.clientID)
            }
            throw isTaken ? conflict : refusal
        }
        let creation = try await change(or: conflict) { try await store.create(client) }
        guard creation == .created else { throw conflict }
    }

    package func update(_ client: Client, replacing former: Client) async throws {
        if !former.grantTypes.contains(.clientCredentials) {
            try await expectRoomForAccount(of: client)
        }
        let change = try await change(or: .failed) {
            try await store.update(client, replacing: former)
        }
        guard change == .changed else { throw AdminRefusal.notFound("Could not find client") }
    }

    /// Deletes a client, its roles, and the account that it has for itself.
    package func delete(_ client: Client) async throws {
        if let account = try await people.serviceAccount(of: client.id, realmID: client.realmID) {
            _ = try await people.deletePerson(id: account.person.id, realmID: client.realmID)
        }
        // Another one of its name gives no one anything.
        try await set([], ofDefault: client)
        let change = try await change(or: .failed) {
            try await store.deleteClient(id: client.id)
        }
        guard change == .changed else { throw AdminRefusal.notFound("Could not find client") }
    }

    /// Gives new people those of a client's roles that its representation says, in realms of files
    /// from before version 13: later ones have one default role of the realm.
    func setDefaultRoles(of client: Client, in realm: Realm) async throws {
        let said = client.saidDefaultRoles
        guard realm.defaultRoles(of: client) != said,
            realm.kept.object.object("defaultRole") == nil
        else { return }
        try await set(said, ofDefault: client)
    }

    private func set(_ roles: [RoleName], ofDefault client: Client) async throws {
        for former in try await store.snapshot().realms where former.id == client.realmID {
            var realm = former
            realm.defaultRoles.removeAll(where: former.defaultRoles(of: client).contains)
            realm.defaultRoles += roles
            if realm != former { try await update(realm, replacing: former) }
        }
    }

    /// Makes the account that a client has for itself, or deletes it, as the client says. One whose
    /// tokens have more than what mappers write has none: they say who it is without.
    package func setServiceAccount(
        of client: Client,
        gets defaults: NewPersonDefaults,
        at moment: Moment
    ) async throws {
        guard client.tokenForm != .standard else { return }
        let account = try await people.serviceAccount(of: client.id, realmID: client.realmID)
        guard client.grantTypes.contains(.clientCredentials) else {
            guard let account else { return }
            _ = try await people.deletePerson(id: account.person.id, realmID: client.realmID)
            return
        }
        guard account == nil else { return }
        let id = UniqueID(random: moment.random).text
        let new = NewPerson(
            person: try newAccount(of: client, id: id, at: moment.seconds),
            password: nil,
            roles: try await defaultRoles(of: defaults, realmID: client.realmID)
        )
        guard try await people.create(new) == .created else { throw Self.accountIsTaken }
    }

    private static let accountIsTaken = AdminRefusal.conflict("User exists with same username")

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
            throw AdminRefusal.invalid("The client_id cannot be part of its account's name.")
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
        guard owners.usernames.isEmpty else { throw Self.accountIsTaken }
    }

    /// Checks that the caller may change the client.
    func expectChangeable(_ client: Client, _ call: AdminCall) async throws {
        try call.expect(try await isChangeable(client, call))
    }

    private func isChangeable(_ client: Client, _ call: AdminCall) async throws -> Bool {
        call.rights.mayChange(
            client,
            account: try await people.serviceAccount(of: client.id, realmID: client.realmID)
        )
    }

    /// 86 characters, as there.
    static func newSecret(_ moment: Moment) -> SecretText {
        SecretText(moment.random.text(64))
    }

    /// `nil` where only its hash is kept.
    func secret(of client: Client) throws -> SecretText? {
        try client.secret.flatMap { try ClientSecretSeal(ring: ring).open($0, of: client) }
    }

    func assignedScopes(of realm: LiveRealm) async throws -> AssignedScopes {
        AssignedScopes(realm.realm, scopes: try await store.scopes(realmID: realm.id))
    }

    /// What of a client's secret its representation shows to the caller.
    func shownSecret(of client: Client, _ call: AdminCall) async throws -> SecretText? {
        guard call.rights.allows(.manageClients), client.secret != nil,
            call.rights.isBounded(client), try await isChangeable(client, call)
        else { return nil }
        return try secret(of: client)
    }

    /// A client as the administration shows it. Its secret is for those who may change it, and gain
    /// nothing by that: others ask for it alone, which is noted.
    func json(of client: Client, _ scopes: AssignedScopes, _ call: AdminCall) async throws
        -> JSONObject
    {
        let mayManage = call.rights.allows(.manageClients)
        let secret = try await shownSecret(of: client, call)
        var json = ClientRepresentation(
            client,
            in: call.realm.realm,
            scopes: scopes,
            secret: secret
        ).json
        // Keycloak's own clients say little of themselves.
        for (name, value) in ClientFields.defaults where json[name] == nil { json[name] = value }
        for name in ["redirectUris", "webOrigins", "defaultClientScopes", "optionalClientScopes"]
        where json[name] == nil { json[name] = [] }
        if client.administers { json.setMark(true) }
        json["access"] = [
            "view": true, "configure": .bool(mayManage), "manage": .bool(mayManage),
        ]
        return json
    }
}
