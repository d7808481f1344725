import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A client as fields that are changed one by one.
extension Client {
    /// Lists of which each element is changed by itself.
    private static let lists = ["redirect_uris", "post_logout_redirect_uris", "web_origins"]
    /// Each scope is one field, with the list that it is in: it may be moved, too.
    private static let scopeLists = ["default_scopes", "optional_scopes"]
    static let scopesMember = "scopes"
    /// How it proves itself: changed together, or not at all.
    private static let proof = ["type", "authentication", "key_set"]
    static let proofMember = "proof"

    /// Without its secret, which is no value that can be compared.
    var fields: JSONObject {
        var fields = JSONObject()
        write(to: &fields)
        fields["secret"] = nil
        fields["id"] = .string(id)
        fields[Self.proofMember] = .array(Self.proof.map { fields[$0] ?? .null })
        for name in Self.proof { fields[name] = nil }
        for name in Self.lists {
            let elements: [(name: String, value: JSONValue)] = (fields.strings(name) ?? []).map {
                (name: $0, value: .bool(true))
            }
            fields[name] = JSONObject(unique: elements).map(JSONValue.object) ?? fields[name]
        }
        var scopes: [(name: String, value: JSONValue)] = []
        var names: Set<ExactText> = []
        for list in Self.scopeLists {
            for name in fields.strings(list) ?? [] where names.insert(ExactText(name)).inserted {
                scopes.append((name, .string(list)))
            }
            fields[list] = nil
        }
        fields[Self.scopesMember] = JSONObject(unique: scopes).map(JSONValue.object)
        return fields
    }

    /// Of the secret as it is kept here.
    var secretNote: JSONValue? {
        var document = JSONObject()
        write(to: &document)
        return document["secret"]
    }

    /// - Parameter fields: As ``fields``.
    func with(_ fields: JSONObject, secret: ClientSecret?) throws -> Client {
        var document = fields
        for (name, value) in zip(Self.proof, fields.array(Self.proofMember) ?? [])
        where value != .null {
            document[name] = value
        }
        for name in Self.lists {
            guard let elements = fields.object(name) else { continue }
            document[name] = .texts(elements.map { $0.name })
        }
        let scopes = fields.object(Self.scopesMember) ?? JSONObject()
        for list in Self.scopeLists {
            document[list] = .texts(scopes.filter { $0.value == .string(list) }.map { $0.name })
        }
        var client = try Client(
            id: id,
            realmID: realmID,
            clientID: clientID,
            document: document
        )
        client.secret = secret
        return client
    }
}
