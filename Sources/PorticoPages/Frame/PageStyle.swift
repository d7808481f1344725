import Crypto
import Foundation

/// The style of the pages, which stands inside each of them, so that a page needs no second request.
package struct PageStyle: Sendable {
    package let text: String

    /// The source that admits it in a page's policy: `'sha256-…'` (CSP Level 3 §2.3.1).
    package let hash: String

    /// - Parameter properties: What the custom properties are, as `:root` rules.
    init(properties: String) {
        text = "\n" + properties + String(decoding: PackageResources.page_css, as: UTF8.self)
        hash = Self.hash(of: text)
    }

    /// - Parameter inline: Exactly what stands between the tags.
    package static func hash(of inline: String) -> String {
        let digest = SHA256.hash(data: Array(inline.utf8))
        return "'sha256-\(Foundation.Data(digest).base64EncodedString())'"
    }
}
