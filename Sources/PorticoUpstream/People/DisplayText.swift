import PorticoBytes
import PorticoProtocol

/// Foreign text for display (PRV-A-5): short, and without characters that reorder or hide text. The
/// page must escape it.
struct DisplayText: Hashable, Sendable {
    let text: String

    private static let limit = 200

    /// - Returns: `nil` if nothing is left.
    init?(_ words: String) {
        guard words.utf8.count <= 16 * 1024 else { return nil }
        let scalars = words.unicodeScalars.filter(Self.isShown)
        var text = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ").prefix(Self.limit)
        // A character may have any number of combining marks, and clients read no more than this.
        while text.utf8.count > ForeignText.longest || text.last?.isWhitespace == true {
            text = text.dropLast()
        }
        guard !text.isEmpty else { return nil }
        self.text = String(text)
    }

    init?(parts: [String?]) {
        self.init(parts.compactMap(\.self).joined(separator: " "))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Embeddings, overrides and isolates; invisible marks, but for the joiners, without which names
        // in Persian and in the languages of India are spelled wrongly; the byte order mark.
        case 0x202A...0x202E, 0x2066...0x2069, 0x200B, 0x200E, 0x200F, 0x061C, 0x2028, 0x2029,
            0xFEFF:
            false
        case 0x09, 0x0A, 0x0D: true
        default: scalar.properties.generalCategory != .control
        }
    }
}

/// The name that Apple sends once with the first answer, unsigned (PRV-A-5).
struct AppleUser: Sendable {
    let name: String?

    /// - Parameter text: `{"name": {"firstName": …, "lastName": …}, "email": …}`. The address is
    ///   not read: the ID Token's counts (PRV-A-6).
    /// - Returns: `nil` if the text has no name or is too long. That does not fail a sign-in.
    init?(_ text: String?) {
        guard let text,
            // `try?`: malformed text counts as missing.
            let json = try? JSONObject(
                parsing: text.utf8,
                limits: .foreign(size: 8 * 1024, depth: 4)
            )
        else { return nil }
        let name = json.object("name")
        self.name =
            DisplayText(parts: [name?.string("firstName"), name?.string("lastName")])?.text
    }
}
