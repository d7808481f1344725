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
    /// Without the members that are `null`: a reader takes those for missing.
    fileprivate var withoutNulls: JSONObject {
        guard contains(where: { $0.value == .null }) else { return self }
        // Names are unique already.
        return JSONObject(unique: filter { $0.value != .null }) ?? self
    }
}

/// What a member of a representation is in Keycloak, which converts what a file or a request has there:
/// `"true"`, `"3600"`, `[42]` (Jackson, `MapperFeature.ALLOW_COERCION_OF_SCALARS`). A number for a text
/// stays as it is written: `1.10` (``JSONLimits/keepsDigits``).
enum MemberType: String, Sendable {
    case bool
    case integer
    case text
    case texts
    /// Values by names that are free: each a text, or texts.
    case map
    /// A representation, or an array of representations or of their names.
    case parts
    /// Such arrays by names that are free.
    case byName

    /// What a value of another type is not.
    var words: StaticString {
        switch self {
        case .bool: "true or false"
        case .integer: "a whole number"
        case .text: "a text"
        case .texts: "an array"
        case .map, .parts, .byName: "an object"
        }
    }

    /// The value as Keycloak reads it; `nil` where it refuses it.
    func converted(_ value: JSONValue) -> JSONValue? {
        switch (self, value) {
        case (_, .null): return .null
        case (.bool, .bool), (.integer, .integer), (.text, .string): return value
        case (.bool, .integer(let number)): return .bool(number != 0)
        case (.bool, .string(let text)): return Self.bool(text)
        case (.integer, .number(let number)):
            return Int64(exactly: number.rounded(.towardZero)).map(JSONValue.integer)
        case (.integer, .string(let text)): return Self.integer(text)
        case (.text, .bool), (.text, .integer), (.text, .number):
            return .string(String(decoding: value.serialized(), as: UTF8.self))
        case (.texts, .array(let values)):
            var texts: [JSONValue] = []
            for value in values where value != .null {
                guard let text = Self.text.converted(value) else { return nil }
                texts.append(text)
            }
            return .array(texts)
        case (.map, .object(let object)):
            var members: [(name: String, value: JSONValue)] = []
            for (name, value) in object {
                let type = value.array == nil ? Self.text : .texts
                guard let value = type.converted(value) else { return nil }
                members.append((name, value))
            }
            return JSONObject(unique: members).map(JSONValue.object)
        default: return nil
        }
    }

    /// White space around it does not count, and no text is `null`.
    private static func bool(_ text: String) -> JSONValue? {
        switch trimmed(text) {
        case "": .null
        case "true", "True", "TRUE": .bool(true)
        case "false", "False", "FALSE": .bool(false)
        default: nil
        }
    }

    private static func integer(_ text: String) -> JSONValue? {
        let text = trimmed(text)
        return text == "" ? .null : text.flatMap { Int64($0) }.map(JSONValue.integer)
    }

    /// `nil` for what is too long to be a number or a truth value, or is not ASCII.
    private static func trimmed(_ text: String) -> String? {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let head = text.utf8.drop(while: isSpace)
        let count = head.reversed().drop(while: isSpace).count
        return String(decoding: head.prefix(count), as: UTF8.self)
    }
}

extension MemberType {
    /// By the names of members, which mean the same in all representations that have them. What has no
    /// type here is left as it stands.
    private static let known: [String: [MemberType]] = {
        var known: [String: [MemberType]] = [:]
        for member in RepresentationMembers.all.flatMap(\.members) {
            if let type = member.type { known[member.name, default: []].append(type) }
        }
        return known
    }()

    /// What a value of a member is: a few are a text in one representation, and hold others in another.
    static func of(_ name: String, _ value: JSONValue) -> MemberType? {
        let types = known[name] ?? []
        if value.object != nil, types.contains(.byName) { return .byName }
        if value.object != nil || value.array != nil, types.contains(.parts) { return .parts }
        return types.first { $0 != .byName && $0 != .parts }
    }
}

extension JSONObject {
    /// The members of a representation, and of those in it, as Keycloak reads them. What it would refuse
    /// is left as it stands.
    var asKeycloakReads: JSONObject { changed(Self.read) ?? self }

    /// - Returns: `nil` where no member is changed.
    private func changed(_ change: (String, JSONValue) -> JSONValue?) -> JSONObject? {
        var members: [(name: String, value: JSONValue)]?
        for (index, member) in enumerated() {
            guard let value = change(member.name, member.value) else { continue }
            if members == nil { members = Array(self) }
            members?[index].value = value
        }
        return members.flatMap { JSONObject(unique: $0) }
    }

    private static func read(_ name: String, _ value: JSONValue) -> JSONValue? {
        switch MemberType.of(name, value) {
        case .byName: return value.object?.changed { held($1) }.map(JSONValue.object)
        case .parts: return held(value)
        case let type:
            let converted = type?.converted(value)
            return converted == value ? nil : converted
        }
    }

    /// Representations, or the names of some.
    private static func held(_ value: JSONValue) -> JSONValue? {
        if let object = value.object { return object.changed(read).map(JSONValue.object) }
        guard let values = value.array else { return nil }
        guard values.contains(where: { $0.object != nil }) else {
            let texts = MemberType.texts.converted(value)
            return texts == value ? nil : texts
        }
        return .array(values.map { held($0) ?? $0 })
    }
}
