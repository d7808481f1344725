import PorticoAdministration
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A person as the administration shows them (Keycloak `UserRepresentation`).
struct PersonJSON: Sendable {
    private let store: PersonStore

    init(_ store: PersonStore) {
        self.store = store
    }

    func brief(_ person: Person, _ call: AdminCall) -> JSONObject {
        var object: JSONObject = [
            "id": .string(person.id), "username": .string(person.username),
        ]
        object["firstName"] = person.givenName.map(JSONValue.string)
        object["lastName"] = person.familyName.map(JSONValue.string)
        object["email"] = person.email.map(JSONValue.string)
        object["emailVerified"] = .bool(person.isEmailVerified)
        object["enabled"] = .bool(person.isEnabled)
        object["createdTimestamp"] = .integer(person.createdAt &* 1000)
        object["access"] = ["manage": .bool(call.rights.allows(.manageUsers))]
        return object
    }

    /// In a list.
    func item(_ person: Person, _ call: AdminCall) async throws -> JSONObject {
        var object = brief(person, call)
        let access = object["access"]
        object["access"] = nil
        if !person.attributes.isEmpty { object["attributes"] = .lists(person.attributes) }
        let factors = try await store.secondFactors(of: person.id, realmID: person.realmID)
        object["totp"] = .bool(factors.contains { $0.kind == .totp })
        object["disableableCredentialTypes"] = []
        object["requiredActions"] = .array(person.requiredActions.map(JSONValue.string))
        object["notBefore"] = .integer(person.notBefore)
        if let id = person.serviceClientID, let client = call.realm.client(uuid: id) {
            object["serviceAccountClientId"] = .string(client.clientID)
        }
        object["access"] = access
        return object
    }

    /// By themselves.
    func one(_ person: PersonWithRoles, _ call: AdminCall) async throws -> JSONObject {
        var object = try await item(person.person, call)
        let mayManage = call.rights.allows(.manageUsers)
        let mayChange = mayManage && call.rights.mayChange(person)
        object["access"] = [
            "manageGroupMembership": .bool(mayChange), "resetPassword": .bool(mayChange),
            "view": true, "mapRoles": .bool(mayChange), "impersonate": false,
            "manage": .bool(mayChange),
        ]
        return object
    }
}
