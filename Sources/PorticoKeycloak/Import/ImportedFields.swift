import PorticoBytes
import PorticoProtocol

/// A field of a thing: `keycloak`, `attributes`, `logoUri`.
struct FieldPath: Hashable {
    let names: [String]

    init(_ names: String...) {
        self.names = names
    }

    private init(names: [String]) {
        self.names = names
    }

    static func + (path: FieldPath, name: String) -> FieldPath {
        FieldPath(names: path.names + [name])
    }

    /// For an administrator.
    var text: String { names.joined(separator: ".") }

    var digest: UInt64 {
        ImportedFields.digest(names.flatMap { Array($0.utf8) + [0xFF] })
    }
}

/// What a file said of one thing, field by field: enough to tell whether a later file says something
/// else, and whether someone has changed it here since (docs/decisions/0054).
///
/// Digests of 64 bits each: they tell values apart, and prove nothing.
struct ImportedFields: Hashable {
    private var digests: [UInt64: UInt64] = [:]

    init() {}

    /// Each member of it is a field, and of objects in it each member, down to ``ThreeWay/depth``.
    init(of object: JSONObject) {
        add(object, at: FieldPath(), depth: ThreeWay.depth)
    }

    private mutating func add(_ object: JSONObject, at path: FieldPath, depth: Int) {
        for (name, value) in object {
            if depth > 1, let inner = value.object {
                add(inner, at: path + name, depth: depth - 1)
            } else {
                add(value, at: path + name)
            }
        }
    }

    mutating func add(_ value: JSONValue, at path: FieldPath) {
        digests[path.digest] = Self.digest(value)
    }

    /// Whether the file said that; `nil`: nothing.
    func says(_ value: JSONValue?, at path: FieldPath) -> Bool {
        digests[path.digest] == value.map(Self.digest)
    }

    /// What the file said there, as a digest.
    func said(at path: FieldPath) -> UInt64? { digests[path.digest] }

    /// Remembers every field to which the file of before gave that value, and this one none.
    mutating func keep(all value: JSONValue, of former: ImportedFields?) {
        let value = Self.digest(value)
        for (path, said) in former?.digests ?? [:] where said == value && digests[path] == nil {
            digests[path] = said
        }
    }

    /// Forgets what this file said there, and remembers what the one before did.
    mutating func keep(_ path: FieldPath, of former: ImportedFields?) {
        digests[path.digest] = former?.digests[path.digest]
    }

    /// Remembers of the fields that this file cannot say what the one before did.
    ///
    /// - Parameter paths: Their digests.
    mutating func keep(_ paths: Set<UInt64>, of former: ImportedFields?) {
        guard let former, !paths.isEmpty else { return }
        for (path, value) in former.digests where digests[path] == nil && paths.contains(path) {
            digests[path] = value
        }
    }

    static func digest(_ value: JSONValue) -> UInt64 { digest(value.ordered) }

    fileprivate static func digest(_ bytes: [UInt8]) -> UInt64 {
        Hash256(of: bytes).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ImportedFields {
    private static let member = "fields"

    /// - Parameter document: As ``document``. `nil` for any other.
    init?(document: JSONObject) {
        guard let text = document.string(Self.member), let bytes = Base64URL.decode(text),
            bytes.count.isMultiple(of: 16)
        else { return nil }
        func number(_ start: Int) -> UInt64 {
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        for start in stride(from: 0, to: bytes.count, by: 16) {
            digests[number(start)] = number(start + 8)
        }
    }

    /// The same for the same fields.
    var document: JSONObject {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digests.count * 16)
        for (path, value) in digests.sorted(by: { $0.key < $1.key }) {
            for number in [path, value] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
                }
            }
        }
        return [Self.member: .string(Base64URL.encode(bytes))]
    }
}

extension JSONValue {
    /// The same bytes in whatever order members and elements stand: exports order lists by chance.
    fileprivate var ordered: [UInt8] {
        switch self {
        case .object(let object):
            Self.joined(
                object.map { Array(JSONValue.string($0.name).serialized()) + $0.value.ordered },
                "{",
                "}"
            )
        case .array(let values): Self.joined(values.map(\.ordered), "[", "]")
        default: Array(serialized())
        }
    }

    private static func joined(
        _ parts: [[UInt8]],
        _ begin: Unicode.Scalar,
        _ end: Unicode.Scalar
    ) -> [UInt8] {
        let sorted = parts.sorted { $0.lexicographicallyPrecedes($1) }
        return [UInt8(ascii: begin)] + Array(sorted.joined(separator: [0xFF]))
            + [UInt8(ascii: end)]
    }
}
