import PorticoBytes

/// The place of a claim: the names of the objects that it is in, and its own. In a text a dot nests, a
/// backslash takes the next character as it is, and `${client_id}` is for the owner of roles.
package struct ClaimPath: Hashable, Sendable {
    /// At least one, none empty.
    package let names: [String]

    /// How deep a claim may be, and how long its path, in bytes.
    package static let deepest = 8
    package static let longest = 512

    private static let placeholder = Array("${client_id}".utf8)

    /// - Returns: `nil` for an empty name, a backslash before nothing, and where the path is longer or
    ///   deeper than the limits.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        var names: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                names[names.count - 1].append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: ".") {
                names.append([])
            } else {
                names[names.count - 1].append(byte)
            }
        }
        guard !isEscaped, names.count <= Self.deepest, names.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        self.init(names: names.map { String(decoding: $0, as: UTF8.self) })
    }

    /// - Parameter names: At least one.
    package init(names: [String]) {
        self.names = names
    }

    /// The top-level claim.
    package var root: String { names[0] }

    package var hasPlaceholder: Bool {
        names.contains { $0.hasBytes("${client_id}") }
    }

    /// The path with a `client_id` in the place of `${client_id}`. Its dots do not nest.
    package func expanded(for clientID: String) -> ClaimPath {
        ClaimPath(names: names.map { Self.expanded($0, for: clientID) })
    }

    /// - Parameter text: Up to ``longest`` bytes.
    package static func expanded(_ text: String, for clientID: String) -> String {
        guard text.hasBytes("${client_id}") else { return text }
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: placeholder) {
                result.append(contentsOf: clientID.utf8)
                rest = rest.dropFirst(placeholder.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// As ``init(_:)`` reads it.
    package var text: String {
        names.map { name in
            var escaped: [UInt8] = []
            for byte in name.utf8 {
                if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\") {
                    escaped.append(UInt8(ascii: "\\"))
                }
                escaped.append(byte)
            }
            return String(decoding: escaped, as: UTF8.self)
        }.joined(separator: ".")
    }
}
