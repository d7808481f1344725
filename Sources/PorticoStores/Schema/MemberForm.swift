import PorticoBytes
import PorticoProtocol

/// How the value of a member is read from JSON and written.
package struct MemberForm<Value: Sendable>: Sendable {
    let shape: MemberShape
    /// Returns `nil` where the JSON has another form.
    let read: @Sendable (JSONValue) throws -> Value?
    let write: @Sendable (Value) -> JSONValue
}

/// What the JSON of a member looks like: enough to make an option of it and to print it.
package enum MemberShape: Sendable {
    case flag
    /// A flag by which a thing is switched off: `--disable-client`.
    case state
    /// What a value is called in `--help`.
    case text(String)
    case texts(String)
    case choice([String])
    case choices([String])
    case number(ClosedRange<Int64>)
    /// Seconds, or one of those words.
    case seconds(ClosedRange<Int64>, words: [String])
    /// Anything else: no option is made of it.
    case json
}

extension MemberForm {
    /// Another form, or nothing, which is written as `null`.
    ///
    /// - Parameter word: What stands for nothing in a command.
    static func optional<Item>(_ form: MemberForm<Item>, or word: String = "") -> Self
    where Value == Item? {
        let shape: MemberShape =
            switch form.shape {
            case .choice(let values): .choice(values + [word])
            case .seconds(let bounds, let words): .seconds(bounds, words: words + [word])
            default: form.shape
            }
        return Self(
            shape: shape,
            read: { json in
                json == .null || json == .string(word)
                    ? .some(nil) : try form.read(json).map(Optional.some)
            },
            write: { $0.map(form.write) ?? .null }
        )
    }

    /// Any JSON.
    static func json(
        read: @escaping @Sendable (JSONValue) throws -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue
    ) -> Self {
        Self(shape: .json, read: read, write: write)
    }

    /// A text that becomes a value.
    static func text(
        _ valueName: String,
        read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) -> Self {
        Self(
            shape: .text(valueName),
            read: { $0.string.flatMap(read) },
            write: { .string(write($0)) }
        )
    }

    /// Any number of another form. A list of texts stays one.
    static func list<Item>(_ form: MemberForm<Item>) -> Self where Value == [Item] {
        let shape: MemberShape =
            if case .text(let name) = form.shape { .texts(name) } else { .json }
        return Self(
            shape: shape,
            read: { json in
                guard let elements = json.array else { return nil }
                let values = try elements.compactMap(form.read)
                return values.count == elements.count ? values : nil
            },
            write: { .array($0.map(form.write)) }
        )
    }

    /// Any of the words of a protocol.
    ///
    /// - Parameter offered: Those that a command and a document name.
    static func choices<Item>(_ offered: [Item] = Array(Item.allCases)) -> Self
    where Value == Set<Item>, Item: RawRepresentable<String> & CaseIterable {
        Self(
            shape: .choices(offered.map(\.rawValue)),
            read: { json in
                guard let words = json.strings else { return nil }
                let values = words.compactMap { Item(wire: $0) }
                return values.count == words.count ? Set(values) : nil
            },
            write: { values in .texts(Item.allCases.filter(values.contains).map(\.rawValue)) }
        )
    }
}

extension MemberForm where Value == Bool {
    static var flag: Self { Self(shape: .flag, read: { $0.bool }, write: { .bool($0) }) }
    /// A flag that a command writes as `on` or `off`.
    static var toggle: Self {
        Self(
            shape: .choice(["on", "off"]),
            read: { json in json.bool ?? ["on": true, "off": false][json.string ?? ""] },
            write: { .bool($0) }
        )
    }
    static var state: Self { Self(shape: .state, read: { $0.bool }, write: { .bool($0) }) }
}

extension MemberForm where Value == String {
    static func text(_ valueName: String) -> Self {
        text(valueName, read: { $0 }, write: { $0 })
    }
}

extension MemberForm where Value == Int64 {
    /// One that no option sets.
    static var number: Self { json(read: { $0.int64 }, write: { .integer($0) }) }

    static func number(_ bounds: ClosedRange<Int64>) -> Self {
        Self(shape: .number(bounds), read: { $0.int64 }, write: { .integer($0) })
    }

    static func seconds(_ bounds: ClosedRange<Int64>) -> Self {
        Self(
            shape: .seconds(bounds, words: []),
            read: { $0.int64 },
            write: { .integer($0) }
        )
    }
}

extension MemberForm where Value: RawRepresentable<String> & CaseIterable & Hashable & Sendable {
    /// One of the words of a protocol.
    static var choice: Self {
        Self(
            shape: .choice(Value.allCases.map(\.rawValue)),
            read: { $0.string.flatMap { Value(wire: $0) } },
            write: { .string($0.rawValue) }
        )
    }
}

extension MemberForm where Value == [String: Int64] {
    /// The names of levels of authentication.
    static var levels: Self {
        Self(
            shape: .texts("name=number"),
            read: { json in
                let levels = json.strings?.map { text -> (String, Int64)? in
                    guard let (name, digits) = text.parts(around: text.utf8.lastIndex(of: 0x3D)),
                        let level = Int64(digits)
                    else { return nil }
                    return (name, level)
                }
                guard let levels, !levels.contains(where: { $0 == nil }) else { return nil }
                return Dictionary(levels.compactMap(\.self)) { first, _ in first }
            },
            write: { .texts($0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) }
        )
    }
}

extension MemberForm where Value == [ClaimMapper] {
    static var mappers: Self {
        list(.json(read: ClaimMapper.init(value:), write: { $0.value }))
    }
}

extension MemberForm where Value == KeptRepresentation? {
    static var kept: Self {
        optional(
            .json(
                read: { $0.string.map(KeptRepresentation.init(json:)) },
                write: { .string($0.json) }
            )
        )
    }
}

extension JSONValue {
    static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map(JSONValue.string))
    }
}

extension String {
    /// What stands before and behind an `=`.
    func parts(around place: String.Index?) -> (String, String)? {
        place.map { (String(self[..<$0]), String(self[utf8.index(after: $0)...])) }
    }
}
