import PorticoBytes
import PorticoProtocol

/// Values in the form in which two are compared.
enum Canonical {
    static let left = RepresentationMembers.names(.none)
    /// What tells the elements of a list from one another, where an import has no rule of its own.
    private static let keys = [
        "clientId", "username", "identityProvider", "alias", "name", "id",
    ]

    /// - Parameter name: The member that it is of.
    static func value(_ value: JSONValue, of name: String) -> JSONValue {
        switch value {
        case .object(let object):
            if name == "config" { return settings(value) }
            if name == "attributes" { return lists(value) }
            var json = JSONObject()
            for (name, value) in object where !left.contains(name) {
                json[name] =
                    name == "id"
                    ? value.string.map { .string(ImportedIDs.key($0)) } ?? value
                    : Self.value(value, of: name)
            }
            return .object(json)
        case .array(let values):
            if let texts = value.strings { return .texts(texts.sorted()) }
            guard values.contains(where: { $0.object != nil }) else { return value }
            return list(value, by: PartImport.lists[name])
        default: return value
        }
    }

    /// A list of objects, by what tells each from the others; as it is where nothing does.
    ///
    /// - Parameter member: What an import goes by; `nil`: names.
    static func list(_ value: JSONValue, by member: String? = nil) -> JSONValue {
        guard let values = value.array else { return value }
        let objects = values.compactMap(\.object)
        guard objects.count == values.count else { return value }
        let candidates = [member].compactMap(\.self) + keys
        let key = candidates.first { key in objects.allSatisfy { $0.string(key) != nil } }
        guard let key else { return .array(values.map { Self.value($0, of: "") }) }
        let times = Dictionary(grouping: objects) { ExactText($0.string(key) ?? "") }
        let json = objects.map { object -> (name: String, value: JSONValue) in
            let name = object.string(key) ?? ""
            // What is there twice is told apart by its id.
            let isAlone = times[ExactText(name)]?.count == 1
            return (
                isAlone ? name : "\(name) \(object.string("id") ?? "")",
                Self.value(.object(object), of: "")
            )
        }
        return JSONObject(unique: json).map(JSONValue.object) ?? value
    }

    /// A map of texts, in which Keycloak also reads numbers and Booleans as texts, or lists of one.
    static func settings(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        var json = JSONObject()
        for (name, value) in object {
            json[name] =
                switch value {
                case .bool(let bool): .string("\(bool)")
                case .integer(let integer): .string("\(integer)")
                case .array: value.strings.map { $0.count == 1 ? .string($0[0]) : value } ?? value
                default: value
                }
        }
        return .object(json)
    }

    /// A map of lists, of which a single text is one, too. Their order means something.
    private static func lists(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        var json = JSONObject()
        for (name, value) in object { json[name] = value.string.map { .texts([$0]) } ?? value }
        return .object(json)
    }
}
