import PorticoProtocol

/// The person who is signed in at a backend, as the backend knows them.
public struct BackendUser: Sendable, Hashable, Identifiable {
    /// What identifies the person at this backend, and the only thing that does.
    public let id: String
    /// It may pass to somebody else, and is no identifier.
    public let email: String?
    /// Whether a provider vouches for the address, or a mailed code has proven it.
    public let isEmailVerified: Bool
    /// The full name, for showing. Text from outside.
    public let name: String?
    /// An http or https address.
    public let picture: String?
    /// The names of the providers that the person can sign in with.
    public let providers: [String]

    /// The best of name and e-mail address; the id where there is none.
    public var displayName: String { name ?? email ?? id }
}

extension BackendUser {
    /// - Returns: `nil` where a member is missing or has a wrong type. `null` counts as absent.
    init?(_ json: JSONObject) {
        guard let id = json.string("id"), (1...256).contains(id.utf8.count),
            Self.isTextOrAbsent(json, ["email", "name", "picture"])
        else { return nil }
        let email = Self.text("email", json)
        switch json["email_verified"] {
        // Without an address there is nothing that could be verified.
        case .bool(let isVerified)?: isEmailVerified = isVerified && email != nil
        case nil, .null?: isEmailVerified = false
        default: return nil
        }
        switch json["providers"] {
        case nil, .null?: providers = []
        case let value?:
            guard let names = value.strings else { return nil }
            providers = names
        }
        self.id = id
        self.email = email
        name = Self.text("name", json)
        picture = Self.text("picture", json).flatMap { HTTPAddress($0)?.text }
    }

    var json: JSONObject {
        var json: JSONObject = [
            "id": .string(id),
            "email_verified": .bool(isEmailVerified),
            "providers": .array(providers.map(JSONValue.string)),
        ]
        if let email { json["email"] = .string(email) }
        if let name { json["name"] = .string(name) }
        if let picture { json["picture"] = .string(picture) }
        return json
    }

    private static func isTextOrAbsent(_ json: JSONObject, _ names: [String]) -> Bool {
        names.allSatisfy { name in
            switch json[name] {
            case nil, .null?, .string?: true
            default: false
            }
        }
    }

    private static func text(_ name: String, _ json: JSONObject) -> String? {
        json.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension BackendUser: CustomStringConvertible, CustomReflectable {
    /// What is known of a person is personal: only who it is.
    public var description: String { "BackendUser(\(id))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
