import PorticoBytes

/// One value of a JSON text (RFC 8259 §3).
///
/// A number without fraction and exponent that fits is an ``integer(_:)``, every other one a
/// ``number(_:)``. Texts are compared as bytes, so two encodings of the same character are two
/// values (RFC 8259 §8.3).
public enum JSONValue: Sendable {
    /// `null`, which is a value: a missing member is `nil` in Swift.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits into 64 bits.
    case integer(Int64)
    /// Any other number, with the precision of a `Double`.
    case number(Double)
    /// A text with its escapes resolved.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members with unique names.
    case object(JSONObject)
}

extension JSONValue {
    /// The text; `nil` for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number; `nil` for other values and numbers that have a fraction or do not fit.
    public var int64: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// The Boolean value; `nil` for other values, including numbers and texts.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The values of an array; `nil` for other values.
    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The object; `nil` for other values.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The texts of an array that holds only texts; `nil` for other values.
    public var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for value in values {
            guard case .string(let text) = value else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension JSONValue: Hashable {
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): sameBytes(one, other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(integer)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    public init(floatLiteral value: Double) {
        self = .number(value)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements {
            object[name] = value
        }
        self = .object(object)
    }
}

extension JSONValue {
    /// Reads one JSON text strictly: UTF-8 without a byte order mark, no repeated name in an object
    /// (RFC 8259 §4 leaves the outcome open; RFC 7515 §4 and RFC 7519 §4 allow the refusal), no
    /// half of a surrogate pair, no NUL, no number beyond a `Double`.
    package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .standard)
        throws(JSONError)
    {
        guard bytes.count <= limits.size else { throw .tooLarge }
        let result =
            bytes.withContiguousStorageIfAvailable { JSONParser.result(of: $0, limits) }
            ?? Array(bytes).withUnsafeBufferPointer { JSONParser.result(of: $0, limits) }
        self = try result.get()
    }
}

extension JSONObject {
    /// Reads one JSON text that must be an object.
    package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .standard)
        throws(JSONError)
    {
        guard let object = try JSONValue(parsing: bytes, limits: limits).object else {
            throw .notAnObject
        }
        self = object
    }
}
