package import HTTPTypes
import PorticoBytes

/// The media types that a request accepts (RFC 9110 §12.5.1).
package enum AcceptedMedia {
    /// Whether a program sent the request: it accepts JSON, and no page. Browsers list `text/html`
    /// first.
    package static func isJSON(_ headers: HTTPFields) -> Bool {
        !isPage(headers) && isNamed("application/json", headers)
    }

    /// Whether a browser sent the request, for a person: it names pages.
    package static func isPage(_ headers: HTTPFields) -> Bool { isNamed("text/html", headers) }

    private static func isNamed(_ type: StaticString, _ headers: HTTPFields) -> Bool {
        let name = Array("\(type)".utf8)
        return headers[values: .accept].contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { range in
                range.prefix { $0 != UInt8(ascii: ";") }.lazy
                    .filter { !$0.isBlank }
                    .map { $0.lowercased }
                    .elementsEqual(name)
            }
        }
    }
}
