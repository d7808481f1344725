import Crypto
import Foundation

/// The one style sheet, which stands inside each page, so that a page needs no second request.
package enum PageStyle {
    package static let text = String(decoding: PackageResources.page_css, as: UTF8.self)

    /// The source that admits it in a page's policy: `'sha256-…'` (CSP Level 3 §2.3.1).
    package static let hash = hash(of: text)

    /// - Parameter inline: Exactly what stands between the tags.
    package static func hash(of inline: String) -> String {
        let digest = SHA256.hash(data: Array(inline.utf8))
        return "'sha256-\(Foundation.Data(digest).base64EncodedString())'"
    }
}
