import PorticoProtocol

extension Console {
    /// JSON on one line for programs, indented for people.
    func json(_ value: JSONValue) -> String {
        guard showsDataOnTerminal else {
            return String(decoding: value.serialized(), as: UTF8.self)
        }
        return Self.indented(value, by: 0)
    }

    private static func indented(_ value: JSONValue, by depth: Int) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch value {
        case .object(let object) where !object.isEmpty:
            let members = object.map { name, value in
                "\(inner)\(scalar(.string(name))): \(indented(value, by: depth + 1))"
            }
            return "{\n\(members.joined(separator: ",\n"))\n\(outer)}"
        case .array(let values) where !values.isEmpty:
            let elements = values.map { inner + indented($0, by: depth + 1) }
            return "[\n\(elements.joined(separator: ",\n"))\n\(outer)]"
        default: return scalar(value)
        }
    }

    private static func scalar(_ value: JSONValue) -> String {
        printable(String(decoding: value.serialized(), as: UTF8.self))
    }
}
