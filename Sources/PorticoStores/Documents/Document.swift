import PorticoProtocol

/// Reads the members of a kept JSON document: strict about types, silent about members it does not
/// know, because a newer program may have written them.
struct Document {
    let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    /// The member's value where it is there and not `null`.
    private func value(_ name: StaticString) -> JSONValue? {
        switch object[name.description] {
        case nil, .null?: nil
        case let value?: value
        }
    }

    func optional<Value>(_ name: StaticString, _ convert: (JSONValue) throws -> Value?) throws
        -> Value?
    {
        guard let value = value(name) else { return nil }
        guard let converted = try convert(value) else { throw DocumentError(member: name) }
        return converted
    }

    func required<Value>(_ name: StaticString, _ convert: (JSONValue) throws -> Value?) throws
        -> Value
    {
        guard let converted = try optional(name, convert) else { throw DocumentError(member: name) }
        return converted
    }

    /// A member that is an array, each element converted.
    func list<Value>(_ name: StaticString, _ convert: (JSONValue) throws -> Value?) throws
        -> [Value]?
    {
        try optional(name) { value in
            guard let elements = value.array else { return nil }
            return try elements.map { element in
                guard let converted = try convert(element) else {
                    throw DocumentError(member: name)
                }
                return converted
            }
        }
    }
}

/// A kept document has a member missing, of the wrong type or out of range.
package struct DocumentError: Error, CustomStringConvertible {
    package let member: StaticString

    package var description: String { "A kept document cannot be read: member \(member)." }
}
