import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a person signs in with: `…/users/ID/reset-password`, `…/credentials`, federated identities.
enum AdminCredentials {
    static var rows: [AdminRow] {
        [
            .put("users/{user}/reset-password", .manageUsers, resetPassword),
            .get("users/{user}/credentials", .viewUsers, list),
            .delete("users/{user}/credentials/{credential}", .manageUsers, delete),
            .put("users/{user}/credentials/{credential}/userLabel", .manageUsers, label),
            .get("users/{user}/configured-user-storage-credential-types", .viewUsers) { call in
                _ = try await call.personWithRoles()
                return .json([])
            },
            .put("users/{user}/disable-credential-types", .manageUsers, disable),
            .get("users/{user}/federated-identity", .viewUsers, identities),
            .post("users/{user}/federated-identity/{provider}", .manageUsers, link),
            .delete("users/{user}/federated-identity/{provider}", .manageUsers, unlink),
        ]
    }

    private static func resetPassword(_ call: AdminCall) async throws {
        let person = try await call.person()
        let credential = try call.representation(.credential)
        guard try credential.text("type") ?? "password" == "password" else {
            throw AdminRefusal.invalid("Only a password is taken here.")
        }
        try await call.operations.set(
            try NewPassword(credential, call),
            of: person,
            by: call.administrator,
            at: call.moment
        )
    }

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        var objects: [JSONObject] = []
        let kept = try await call.people.credentials(id: person.id, realmID: call.realmID)
        if let hash = kept?.password {
            var json: JSONObject = [
                "id": .string(Self.password), "type": "password",
                "createdDate": .integer(person.createdAt &* 1000),
            ]
            json["credentialData"] = KeycloakHash.texts(of: hash).map { .string($0.credentialData) }
            objects.append(json)
        }
        for factor in try await call.people.secondFactors(of: person.id, realmID: call.realmID) {
            var data = factor.parameters
            data["type"] = nil
            var json: JSONObject = [
                "id": .string(factor.id),
                "type": factor.parameters["type"] ?? .string(factor.kind.rawValue),
            ]
            if !factor.label.isEmpty { json["userLabel"] = .string(factor.label) }
            json["createdDate"] = .integer(factor.createdAt)
            json["credentialData"] = .string(String(decoding: data.serialized(), as: UTF8.self))
            objects.append(json)
        }
        return .list(objects)
    }

    /// The id that a password has here: a person has one.
    private static let password = "password"

    private static func delete(_ call: AdminCall) async throws {
        try await call.operations.removeSecondFactor(
            try call.segment("credential"),
            of: try await call.person(),
            by: call.administrator
        )
    }

    /// The person's name for a second factor. Of passwords there is one, which needs none.
    private static func label(_ call: AdminCall) async throws {
        let person = try await call.person()
        let id = try call.segment("credential")
        let label = try call.text(upTo: 200).trimmingBlanks
        guard !sameBytes(id, Self.password) else {
            throw AdminRefusal.invalid("A password has no label here.")
        }
        try await call.operations.label(id, of: person, label, by: call.administrator)
    }

    private static func disable(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        guard try call.texts().contains("otp") else {
            try await call.operations.expectChangeable(person, by: call.administrator)
            return .done
        }
        try await call.operations.removeSecondFactors(of: person, by: call.administrator)
        return .done
    }

    // MARK: Accounts at other providers

    private static func identities(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        let identities = try await call.people.identities(of: person.id, realmID: call.realmID)
        return .list(
            identities.map { identity in
                var json: JSONObject = [
                    "identityProvider": .string(identity.provider),
                    "userId": .string(identity.subject),
                ]
                json["userName"] = identity.username.map(JSONValue.string)
                return json
            }
        )
    }

    private static func link(_ call: AdminCall) async throws {
        let person = try await call.person()
        let identity = try FederatedIdentity(
            try call.representation(.identity),
            provider: try call.segment("provider")
        )
        try await call.operations.link(identity, to: person, by: call.administrator)
    }

    private static func unlink(_ call: AdminCall) async throws {
        try await call.operations.unlink(
            try call.segment("provider"),
            from: try await call.person(),
            by: call.administrator
        )
    }
}
