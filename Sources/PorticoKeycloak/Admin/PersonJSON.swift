import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// A person as the administration shows them (Keycloak `UserRepresentation`).
struct PersonJSON: Sendable {
    private let store: PersonStore

    init(_ store: PersonStore) {
        self.store = store
    }

    func brief(_ person: Person, _ call: AdminCall) -> JSONObject {
        var object = PersonMembers.json(person) { !Self.unlisted.contains($0) }
        object["createdTimestamp"] = .integer(person.createdAt &* 1000)
        object["access"] = ["manage": .bool(call.rights.allows(.manageUsers))]
        return object
    }

    /// What a brief representation leaves out.
    private static let unlisted: Set = ["attributes", "requiredActions", "notBefore"]

    /// In a list.
    func item(_ person: Person, _ call: AdminCall) async throws -> JSONObject {
        var object = brief(person, call)
        let access = object["access"]
        object["access"] = nil
        let whole = PersonMembers.json(person)
        object["attributes"] = whole["attributes"]
        let factors = try await store.secondFactors(of: person.id, realmID: person.realmID)
        object["totp"] = .bool(factors.contains { $0.kind == .totp })
        object["disableableCredentialTypes"] = []
        for name in ["requiredActions", "notBefore"] { object[name] = whole[name] }
        if let id = person.serviceClientID,
            let client = try await call.served.client(uuid: id)
        {
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
