import PorticoAdministration
import PorticoProtocol

/// One object of a realm file, or of a request, read as tolerantly as in Keycloak: unknown members are
/// ignored, a missing member and `null` are the same, texts stand for numbers and truth values and the
/// other way round (``MemberType``), and a member that cannot be read so is an error with its position.
struct Representation: Sendable {
    let object: JSONObject
    /// The position in the file: `clients[2]`.
    let path: String

    /// Of a whole, whose members are converted once; those in it are as they stand there.
    init(_ value: JSONValue, path: String) throws(RealmImportError) {
        let inner = try Representation(within: value, path: path)
        self.init(inner.object.asKeycloakReads, path: path)
    }

    private init(within value: JSONValue, path: String) throws(RealmImportError) {
        guard let object = value.object else {
            throw .wrongType(path: path, expected: "an object")
        }
        self.init(object, path: path)
    }

    /// Of a realm: with what Keycloak puts into every realm, as it does when it reads a file.
    ///
    /// - Parameter isNew: As for ``BuiltInRealm/completing(_:isNew:)``.
    func completed(named name: String, isNew: Bool = true) -> Representation {
        Representation(BuiltInRealm(name).completing(object, isNew: isNew), path: path)
    }

    /// What was read once, and is kept.
    init(stored object: JSONObject) { self.init(object, path: "") }

    private init(_ object: JSONObject, path: String) {
        self.object = object.withoutNulls
        self.path = path
    }

    func string(_ name: String) throws(RealmImportError) -> String? {
        try read(name, .text)?.string
    }

    /// Its members, each of which is a text.
    func texts() throws(RealmImportError) -> [(name: String, value: JSONValue)] {
        var texts: [(name: String, value: JSONValue)] = []
        for (name, value) in object {
            guard let text = MemberType.text.converted(value)?.string else {
                throw .wrongType(path: path(of: name), expected: "a text")
            }
            texts.append((name, .string(text)))
        }
        return texts
    }

    /// A nonempty text: an empty one counts as missing.
    func text(_ name: String) throws(RealmImportError) -> String? {
        let text = try string(name)
        return text?.isEmpty == false ? text : nil
    }

    func bool(_ name: String) throws(RealmImportError) -> Bool? {
        try read(name, .bool)?.bool
    }

    func integer(_ name: String) throws(RealmImportError) -> Int64? {
        try read(name, .integer)?.int64
    }

    func child(_ name: String) throws(RealmImportError) -> Representation? {
        guard let value = self[name] else { return nil }
        return try Representation(within: value, path: path(of: name))
    }

    func children(_ name: String) throws(RealmImportError) -> [Representation] {
        guard let value = self[name] else { return [] }
        return try Self.objects(value, path: path(of: name))
    }

    /// Every member, each an array of objects.
    func childrenByName() throws(RealmImportError) -> [(name: String, children: [Representation])] {
        var members: [(name: String, children: [Representation])] = []
        for (name, value) in object where value != .null {
            members.append((name, try Self.objects(value, path: path(of: name))))
        }
        return members
    }

    private static func objects(_ value: JSONValue, path: String) throws(RealmImportError)
        -> [Representation]
    {
        guard let values = value.array else { throw .wrongType(path: path, expected: "an array") }
        var objects: [Representation] = []
        for (index, value) in values.enumerated() {
            objects.append(try Representation(within: value, path: "\(path)[\(index)]"))
        }
        return objects
    }

    /// `nil` if the member is missing, which differs from an empty array.
    func strings(_ name: String) throws(RealmImportError) -> [String]? {
        guard let value = self[name] else { return nil }
        return try Self.texts(value, path: path(of: name))
    }

    /// The members of an object with values that are arrays of texts, or single texts.
    func lists(_ name: String) throws(RealmImportError) -> [(name: String, values: [String])] {
        guard let object = try child(name) else { return [] }
        var lists: [(name: String, values: [String])] = []
        for (name, value) in object.object where value != .null {
            if value.array != nil {
                lists.append((name, try Self.texts(value, path: object.path(of: name))))
            } else {
                let text = try object.read(name, .text, "an array of texts")?.string
                lists.append((name, [text].compactMap(\.self)))
            }
        }
        return lists
    }

    /// `nil` if the member is missing or `null`.
    private subscript(name: String) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    /// `nil` if it is missing, or what it says is nothing.
    private func read(_ name: String, _ type: MemberType, _ expected: StaticString? = nil)
        throws(RealmImportError) -> JSONValue?
    {
        guard let member = self[name] else { return nil }
        guard let value = type.converted(member) else {
            throw .wrongType(path: path(of: name), expected: expected ?? type.words)
        }
        return value
    }

    /// - Throws: where a member is not of its type.
    func expect(_ name: String, _ type: MemberType) throws(RealmImportError) {
        if type == .map {
            _ = try lists(name)
        } else if type == .texts {
            _ = try strings(name)
        } else if type != .parts, type != .byName {
            _ = try read(name, type)
        }
    }

    /// The path of a member, present or not.
    func path(of name: String) -> String {
        let name = PlainText.shown(name)
        return path.isEmpty ? name : "\(path).\(name)"
    }

    private static func texts(_ value: JSONValue, path: String) throws(RealmImportError)
        -> [String]
    {
        guard let values = value.array else { throw .wrongType(path: path, expected: "an array") }
        var texts: [String] = []
        for (index, value) in values.enumerated() where value != .null {
            guard let text = MemberType.text.converted(value)?.string else {
                throw .wrongType(path: "\(path)[\(index)]", expected: "a text")
            }
            texts.append(text)
        }
        return texts
    }
}

extension JSONObject {
    /// Without the members that are `null`: those are missing, whoever looks for them.
    fileprivate var withoutNulls: JSONObject {
        guard contains(where: { $0.value == .null }) else { return self }
        // Names are unique already.
        return JSONObject(unique: filter { $0.value != .null }) ?? self
    }
}
