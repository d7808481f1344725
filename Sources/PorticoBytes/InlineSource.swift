/// A style or script that stands inside a page, with what admits it in the page's policy.
package struct InlineSource: Sendable {
    package let text: String

    /// `'sha256-…'` (CSP Level 3 §2.3.1).
    package let hash: String

    /// - Parameter text: Written by us: it is not escaped, and holds no end tag.
    package init(unescaped text: String) {
        self.text = text
        hash = Self.hash(of: text)
    }

    /// - Parameter inline: Exactly what stands between the tags.
    package static func hash(of inline: String) -> String {
        // The other base64 alphabet, and the padding that 32 bytes end with.
        let digest = Base64URL.encode(Hash256(of: inline).bytes).map {
            $0 == "-" ? "+" : $0 == "_" ? "/" : $0
        }
        return "'sha256-\(String(digest))='"
    }
}
