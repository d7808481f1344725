import PorticoBytes
import PorticoProtocol
import PorticoStores

/// All that is known of a person, for themselves (GDPR, articles 15 and 20): no secrets, and no one else.
struct AccountExport: Sendable {
    let accounts: AccountStore
    let apps: AppSessions
    let check: SessionCheck

    /// More than anyone reads.
    private static let mostEvents = 1000

    func callAsFunction(_ live: LiveSession, at now: Int64) async throws -> JSONObject {
        let person = live.person
        let identities = try await accounts.identities(of: person.id)
        let factors = try await apps.people.secondFactors(of: person.id, realmID: person.realmID)
        let sessions = try await check.shown(to: live, at: now)
        let connected = try await apps.people.connectedApps(
            of: person.id,
            realmID: person.realmID,
            notBefore: check.directory.sessionRule?.notBefore ?? 0,
            at: now
        )
        let names = try await apps.names(Set(connected.map(\.clientID)), realmID: person.realmID)
        var query = EventQuery()
        query.subjectID = person.id
        query.isAdministration = false
        let events = try await apps.realms.events.events(query, limit: Self.mostEvents)
        return [
            "account": .object(account(person)),
            "password": .bool(try await accounts.hasPassword(person.id)),
            "second_factors": .array(factors.map(Self.factor)),
            "providers": .array(
                identities.enumerated().map { AccountView.identity($1, isPrimary: $0 == 0) }
            ),
            "sessions": .array(
                sessions.map { AccountView.listed($0, isThis: $0.id == live.session.id) }
            ),
            "apps": .array(connected.map { Self.app($0, name: names[$0.clientID]) }),
            "events": .array(events.map(Self.event)),
        ]
    }

    /// In the words of OpenID Connect Core §5.1 where it has them.
    private func account(_ person: Person) -> JSONObject {
        var attributes = JSONObject()
        for (name, values) in person.attributes {
            attributes[name] = .array(values.map(JSONValue.string))
        }
        return [
            "sub": .string(person.id),
            "preferred_username": .string(person.username),
            "email": AccountView.text(person.email),
            "email_verified": .bool(person.isEmailVerified),
            "name": AccountView.text(person.fullName),
            "given_name": AccountView.text(person.givenName),
            "family_name": AccountView.text(person.familyName),
            "attributes": .object(attributes),
            "created_at": .integer(person.createdAt),
            "last_sign_in_at": person.lastSignInAt.map(JSONValue.integer) ?? .null,
        ]
    }

    private static func factor(_ credential: Credential) -> JSONValue {
        [
            "type": .string(credential.kind.rawValue), "name": .string(credential.label),
            "created_at": .integer(credential.createdAt / 1000),
        ]
    }

    private static func app(_ app: ConnectedApp, name: String?) -> JSONValue {
        [
            "name": AccountView.text(name), "scope": .string(app.scope.text),
            "allowed_at": app.allowedAt.map(JSONValue.integer) ?? .null,
            "last_used_at": app.lastUsedAt.map(JSONValue.integer) ?? .null,
        ]
    }

    private static func event(_ event: Event) -> JSONValue {
        [
            "event": .string(event.kind.rawValue), "at": .integer(event.at / 1000),
            "app": AccountView.text(event.clientID), "provider": AccountView.text(event.provider),
            "device": AccountView.text(event.device), "address": AccountView.text(event.address),
        ]
    }
}
