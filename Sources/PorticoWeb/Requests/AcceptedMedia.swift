package import HTTPTypes
import PorticoBytes

/// The media types that a request accepts (RFC 9110 §12.5.1).
package enum AcceptedMedia {
    /// Whether a program sent the request: it accepts JSON, and no page. Browsers list `text/html`
    /// first.
    package static func isJSON(_ headers: HTTPFields) -> Bool {
        var hasJSON = false
        for value in headers[values: .accept] {
            for range in value.utf8.split(separator: UInt8(ascii: ",")) {
                let type = range.prefix { $0 != UInt8(ascii: ";") }.lazy
                    .filter { !$0.isBlank }
                    .map { $0.lowercased }
                if type.elementsEqual("text/html".utf8) { return false }
                hasJSON = hasJSON || type.elementsEqual("application/json".utf8)
            }
        }
        return hasJSON
    }
}
