import PorticoProtocol
import PorticoStores

extension Person {
    /// What `portico user show` shows; members are only ever added.
    ///
    /// - Parameter secondFactors: The kinds of those that they are asked for.
    func description(
        hasPassword: Bool,
        secondFactors: [Credential.Kind],
        roles: [RoleName],
        groups: [String]
    ) -> Description {
        let roles = roles.inOrder
        var json = item
        json["has_password"] = .bool(hasPassword)
        json["second_factors"] = .array(secondFactors.map { .string($0.rawValue) })
        json["attributes"] = attributes.json
        json["roles"] = roles.json
        json["groups"] = .array(groups.map(JSONValue.string))
        return Description(
            json: json,
            fields: [
                ("User", username),
                ("Name", displayName),
                ("Email", markedEmail),
                ("State", state),
                ("Password", hasPassword ? "set" : "none"),
                ("Second factor", joined(secondFactors.map(\.rawValue))),
                ("Roles", joined(roles.map(\.text))),
                ("Groups", joined(groups)),
                ("Attributes", attributes.shown),
                ("Created", Times.standard(createdAt)),
                ("Changed", Times.standard(updatedAt)),
                ("Id", id),
            ]
        )
    }

    /// One of `portico user list --json`.
    var item: JSONObject {
        [
            "id": .string(id),
            "username": .string(username),
            "name": .string(displayName),
            "given_name": givenName.map(JSONValue.string) ?? .null,
            "family_name": familyName.map(JSONValue.string) ?? .null,
            "email": email.map(JSONValue.string) ?? .null,
            "email_verified": .bool(isEmailVerified),
            "enabled": .bool(isEnabled),
            "created_at": .string(Times.standard(createdAt)),
            "updated_at": .string(Times.standard(updatedAt)),
        ]
    }

    var state: String { isEnabled ? "active" : "disabled" }

    /// The address, with a mark if it is verified.
    var markedEmail: String? {
        email.map { isEmailVerified ? "\($0) ✓" : $0 }
    }
}

extension [String: [String]] {
    /// `colour=red,blue floor=2`
    var shown: String? {
        isEmpty
            ? nil
            : sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.joined(separator: ","))" }
                .joined(separator: " ")
    }

    /// Attributes, in the order of their names.
    var json: JSONValue {
        var object = JSONObject()
        for (name, values) in sorted(by: { $0.key < $1.key }) {
            object[name] = .array(values.map(JSONValue.string))
        }
        return .object(object)
    }
}

extension Sequence<RoleName> {
    /// Realm roles first, then by client.
    var inOrder: [RoleName] {
        sorted { ($0.clientID ?? "", $0.name) < ($1.clientID ?? "", $1.name) }
    }

    var json: JSONValue { .array(map { .object($0.json) }) }
}

extension RoleName {
    /// `editor`, or `portico-cli/tester` for a role of a client.
    var text: String {
        clientID.map { "\($0)/\(name)" } ?? name
    }

    var json: JSONObject {
        ["client": clientID.map(JSONValue.string) ?? .null, "name": .string(name)]
    }
}
