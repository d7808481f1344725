import PorticoProtocol
import PorticoStores

extension Person {
    /// What `portico user show` shows; members are only ever added.
    func description(hasPassword: Bool, roles: [RoleName]) -> Description {
        var json = item
        json["has_password"] = .bool(hasPassword)
        json["attributes"] = .object(attributesJSON)
        json["roles"] = .array(roles.sorted(by: Self.areInOrder).map { .object($0.json) })
        return Description(
            json: json,
            fields: [
                ("User", username),
                ("Name", displayName),
                ("Email", markedEmail),
                ("State", state),
                ("Password", hasPassword ? "set" : "none"),
                ("Roles", joined(roles.sorted(by: Self.areInOrder).map(\.text))),
                ("Attributes", joined(attributes.keys.sorted())),
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

    private var attributesJSON: JSONObject {
        var object = JSONObject()
        for (name, values) in attributes.sorted(by: { $0.key < $1.key }) {
            object[name] = .array(values.map(JSONValue.string))
        }
        return object
    }

    private static func areInOrder(_ one: RoleName, _ other: RoleName) -> Bool {
        (one.clientID ?? "", one.name) < (other.clientID ?? "", other.name)
    }
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
