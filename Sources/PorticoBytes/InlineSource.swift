/// An inline style or script, with the hash that allows it in the page's policy.
package struct InlineSource: Sendable {
    package let text: String

    /// `'sha256-…'` (CSP Level 3 §2.3.1).
    package let hash: String

    /// - Parameter text: Written in this project: it is not escaped, and holds no end tag.
    package init(unescaped text: String) {
        self.text = text
        hash = Self.hash(of: text)
    }

    /// - Parameter inline: The exact text between the tags.
    package static func hash(of inline: String) -> String {
        // CSP uses the standard base64 alphabet, with the padding after 32 bytes.
        let digest = Base64URL.encode(Hash256(of: inline).bytes).map {
            $0 == "-" ? "+" : $0 == "_" ? "/" : $0
        }
        return "'sha256-\(String(digest))='"
    }
}
