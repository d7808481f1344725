import PorticoProtocol

/// The text of one object: a line for each member, and for each element of a member that is a list
/// of objects.
struct ExportLines {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var hasMember = false
    private var hasElement = false

    mutating func add(_ name: String, _ value: JSONValue) {
        if let elements = value.array, elements.contains(where: { $0.object != nil }) {
            begin(name)
            for element in elements { add(element) }
            end()
        } else {
            self.name(name)
            bytes += value.serialized()
        }
    }

    /// Begins a member that is a list.
    mutating func begin(_ name: String) {
        self.name(name)
        bytes.append(UInt8(ascii: "["))
        hasElement = false
    }

    mutating func add(_ object: JSONObject) {
        add(.object(object))
    }

    private mutating func add(_ element: JSONValue) {
        bytes += hasElement ? ",\n".utf8 : "\n".utf8
        bytes += element.serialized()
        hasElement = true
    }

    mutating func end() {
        bytes += "\n]".utf8
    }

    /// What was added since the last time.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func finish() -> [UInt8] {
        bytes += "\n}\n".utf8
        return take()
    }

    private mutating func name(_ name: String) {
        bytes += hasMember ? ",\n".utf8 : "\n".utf8
        JSONWriter.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        hasMember = true
    }
}
