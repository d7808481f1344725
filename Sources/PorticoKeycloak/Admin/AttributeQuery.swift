import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// `q`: attributes that things are looked for by, `name:value name:"a value"` (Keycloak
/// `SearchQueryUtils`). All must be there.
struct AttributeQuery: Sendable {
    let pairs: [(name: String, value: String)]

    func isMet(by attributes: [String: [String]]) -> Bool {
        pairs.allSatisfy { name, value in
            attributes[name]?.contains { sameBytes($0, value) } ?? false
        }
    }

    /// Both a name and a value may stand in quotes, and then have blanks and colons.
    ///
    /// - Returns: `nil` for a text that is none.
    init?(_ text: String) {
        var rest = text.utf8[...]
        var pairs: [(name: String, value: String)] = []
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            if rest.isEmpty { break }
            guard let name = Self.part(of: &rest, upTo: UInt8(ascii: ":")),
                rest.popFirst() == UInt8(ascii: ":"),
                let value = Self.part(of: &rest, upTo: UInt8(ascii: " ")), pairs.count < 20
            else { return nil }
            pairs.append((name, value))
        }
        guard !pairs.isEmpty else { return nil }
        self.pairs = pairs
    }

    /// - Parameter end: What ends one without quotes.
    private static func part(of rest: inout Substring.UTF8View, upTo end: UInt8) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let part = rest.prefix { $0 != end && (end == UInt8(ascii: " ") || $0 != 0x20) }
            rest = rest[part.endIndex...]
            return String(Substring(part))
        }
        rest.removeFirst()
        var part: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                // What follows is the end of the part.
                return rest.first.map({ $0 == end }) ?? true ? String(validUTF8: part) : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                part.append(escaped)
            default: part.append(byte)
            }
        }
        return nil
    }
}

extension AdminCall {
    /// Which attributes the query asks for; `nil`: it names none.
    func attributes(_ query: FormParameters) throws -> AttributeQuery? {
        guard let text = query["q"], !text.isEmpty else { return nil }
        guard let attributes = AttributeQuery(text) else {
            throw AdminRefusal.invalid(#"q has pairs of name:value, or name:"a value"."#)
        }
        return attributes
    }
}
