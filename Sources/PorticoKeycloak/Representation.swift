import PorticoProtocol
import PorticoProvider

/// One object of a realm file, read as tolerantly as in Keycloak: unknown members are ignored, a
/// missing member and `null` are the same, and a member of another type is an error with its
/// position.
struct Representation: Sendable {
    let object: JSONObject
    /// The position in the file: `clients[2]`.
    let path: String

    init(_ value: JSONValue, path: String) throws(RealmImportError) {
        guard let object = value.object else {
            throw .wrongType(path: path, expected: "an object")
        }
        self.object = object
        self.path = path
    }

    private init(_ object: JSONObject, path: String) {
        self.object = object
        self.path = path
    }

    func string(_ name: String) throws(RealmImportError) -> String? {
        try read(name, "a text", \.string)
    }

    /// A nonempty text: an empty one counts as missing.
    func text(_ name: String) throws(RealmImportError) -> String? {
        let text = try string(name)
        return text?.isEmpty == false ? text : nil
    }

    /// A value of a map of texts, in which Keycloak also reads numbers and Booleans as texts.
    func setting(_ name: String) throws(RealmImportError) -> String? {
        let text = try read(name, "a text") { value in
            switch value {
            case .string(let text): text
            case .bool(let bool): bool ? "true" : "false"
            case .integer(let integer): String(integer)
            default: nil
            }
        }
        return text?.isEmpty == false ? text : nil
    }

    func bool(_ name: String) throws(RealmImportError) -> Bool? {
        try read(name, "true or false", \.bool)
    }

    func integer(_ name: String) throws(RealmImportError) -> Int64? {
        try read(name, "a whole number", \.int64)
    }

    func child(_ name: String) throws(RealmImportError) -> Representation? {
        try read(name, "an object", \.object).map { Representation($0, path: path(of: name)) }
    }

    func children(_ name: String) throws(RealmImportError) -> [Representation] {
        guard let values = try read(name, "an array", \.array) else { return [] }
        return try Self.objects(values, path: path(of: name))
    }

    /// Every member, each an array of objects.
    func childrenByName() throws(RealmImportError) -> [(name: String, children: [Representation])] {
        var members: [(name: String, children: [Representation])] = []
        for (name, value) in object where value != .null {
            guard let values = value.array else {
                throw .wrongType(path: path(of: name), expected: "an array")
            }
            members.append((name, try Self.objects(values, path: path(of: name))))
        }
        return members
    }

    private static func objects(_ values: [JSONValue], path: String) throws(RealmImportError)
        -> [Representation]
    {
        var objects: [Representation] = []
        for (index, value) in values.enumerated() {
            objects.append(try Representation(value, path: "\(path)[\(index)]"))
        }
        return objects
    }

    /// `nil` if the member is missing, which differs from an empty array.
    func strings(_ name: String) throws(RealmImportError) -> [String]? {
        guard let values = try read(name, "an array", \.array) else { return nil }
        return try Self.texts(values, path: path(of: name))
    }

    /// The members of an object with values that are arrays of texts, or single texts.
    func lists(_ name: String) throws(RealmImportError) -> [(name: String, values: [String])] {
        guard let object = try child(name) else { return [] }
        var lists: [(name: String, values: [String])] = []
        for (name, value) in object.object where value != .null {
            if let text = value.string {
                lists.append((name, [text]))
            } else if let values = value.array {
                let path = object.path(of: name)
                lists.append((name, try Self.texts(values.filter { $0 != .null }, path: path)))
            } else {
                throw .wrongType(path: object.path(of: name), expected: "an array of texts")
            }
        }
        return lists
    }

    private func read<Value>(
        _ name: String,
        _ expected: StaticString,
        _ value: (JSONValue) -> Value?
    ) throws(RealmImportError) -> Value? {
        guard let member = object[name], member != .null else { return nil }
        guard let value = value(member) else {
            throw .wrongType(path: path(of: name), expected: expected)
        }
        return value
    }

    /// The path of a member, present or not.
    func path(of name: String) -> String {
        let name = PlainText.shown(name)
        return path.isEmpty ? name : "\(path).\(name)"
    }

    private static func texts(_ values: [JSONValue], path: String) throws(RealmImportError)
        -> [String]
    {
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            guard let text = value.string else {
                throw .wrongType(path: "\(path)[\(index)]", expected: "a text")
            }
            texts.append(text)
        }
        return texts
    }
}
