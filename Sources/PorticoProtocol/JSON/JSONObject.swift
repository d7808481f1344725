import PorticoBytes

/// The members of a JSON object in the order written (RFC 8259 §4).
///
/// No name occurs twice. Names are compared as bytes. Two objects with the same members are equal
/// in any order.
public struct JSONObject: Sendable {
    private var members: [(name: String, value: JSONValue)]

    /// An object without members.
    public init() {
        members = []
    }

    /// - Returns: `nil` if a name occurs twice.
    package init?(unique members: [(name: String, value: JSONValue)]) {
        guard Self.areUnique(members) else { return nil }
        self.members = members
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a member. Setting a new name appends it; setting `nil` removes the member.
    public subscript(name: String) -> JSONValue? {
        get {
            for member in members where sameBytes(member.name, name) {
                return member.value
            }
            return nil
        }
        set {
            let index = members.firstIndex { sameBytes($0.name, name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject {
    /// The text of a member; `nil` if it is missing or not text.
    public func string(_ name: String) -> String? { self[name]?.string }
    /// The integer of a member; `nil` if it is missing or not a 64-bit integer.
    public func int64(_ name: String) -> Int64? { self[name]?.int64 }
    /// The Boolean value of a member; `nil` if it is missing or not Boolean.
    public func bool(_ name: String) -> Bool? { self[name]?.bool }
    /// The values of a member; `nil` if it is missing or not an array.
    public func array(_ name: String) -> [JSONValue]? { self[name]?.array }
    /// The object in a member; `nil` if it is missing or not an object.
    public func object(_ name: String) -> JSONObject? { self[name]?.object }
    /// The texts of a member; `nil` if it is missing or not an array of texts only.
    public func strings(_ name: String) -> [String]? { self[name]?.strings }

    /// The value of a member; `nil` if it is missing or `null`, which some programs write for a
    /// value that they do not have.
    package func present(_ name: String) -> JSONValue? {
        guard let value = self[name], value != .null else { return .none }
        return value
    }
}

extension JSONObject: Sequence {
    public func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> {
        members.makeIterator()
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements {
            self[name] = value
        }
    }
}

extension JSONObject: Hashable {
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one.sortedMembers(), other.sortedMembers()).allSatisfy {
            sameBytes($0.name, $1.name) && $0.value == $1.value
        }
    }

    /// Independent of the order, like `==`.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var memberHasher = Hasher()
            memberHasher.combine(ExactText(member.name))
            memberHasher.combine(member.value)
            sum &+= memberHasher.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject {
    /// A few names are compared in pairs. Many are sorted first, because an attacker may send them
    /// to use up processor time.
    private static func areUnique(_ members: [(name: String, value: JSONValue)]) -> Bool {
        if members.count <= 32 {
            for (index, member) in members.enumerated() {
                for earlier in members[..<index] where sameBytes(earlier.name, member.name) {
                    return false
                }
            }
            return true
        }
        let names = members.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return !zip(names, names.dropFirst()).contains { sameBytes($0, $1) }
    }

    private func sortedMembers() -> [(name: String, value: JSONValue)] {
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
