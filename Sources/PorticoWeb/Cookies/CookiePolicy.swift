package import HTTPTypes
import PorticoBytes

/// The name of one of our cookies, without the prefix that ``CookiePolicy`` adds.
package struct CookieName: Hashable, Sendable {
    let text: String
    fileprivate let hasPrefix: Bool

    /// - Parameters:
    ///   - purpose: What the cookie is for, a literal of letters.
    ///   - id: Distinguishes it from others of its kind, for instance the realm's id. Characters that
    ///     a cookie name cannot have are written as their code.
    package init(_ purpose: StaticString, _ id: String = "") {
        var text = "\(purpose)"
        if !id.isEmpty {
            text += "-"
            for byte in id.utf8 {
                if byte.isLetterOrDigit || byte == UInt8(ascii: "-") {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "_\(byte)_"
                }
            }
        }
        self.text = text
        hasPrefix = true
    }

    /// A person's session in a browser.
    ///
    /// - Parameter owner: The realm's; `nil`: of the backend, and of its realm on the same host.
    package static func session(of owner: String?) -> CookieName {
        CookieName("session", owner ?? "")
    }

    /// An identity at a provider that waits for its person's decision.
    package static func pending(of owner: String?) -> CookieName {
        CookieName("pending", owner ?? "")
    }

    /// Eight characters of a UUID distinguish the realms of one server.
    package static func owner(_ realmID: String) -> String { String(realmID.prefix(8)) }

    /// - Parameter name: What apps that are there call the cookie: it gets no prefix.
    package init(exactly name: StaticString) {
        text = "\(name)"
        hasPrefix = false
    }
}

/// The only code that writes cookie attributes (RFC 6265bis §4.1.2, §4.1.3).
///
/// `__Host-`, `Secure`, `HttpOnly`, `SameSite=Lax`, `Path=/`, never a `Domain`. If the public URL
/// is http, which is for this machine only, the prefix and `Secure` are omitted, because browsers
/// would refuse such a cookie, and the name shows it: `portico-dev-…`.
package struct CookiePolicy: Sendable {
    private let isSecure: Bool

    package init(_ publicURL: PublicURL) {
        isSecure = publicURL.isSecure
    }

    /// The limit for name and value together; browsers drop longer cookies (RFC 6265bis §5.6).
    package static let maximumLength = 4096

    package enum Refusal: Error, Hashable, Sendable {
        /// The browser would silently drop it.
        case tooLong
        /// Not printable ASCII, or a separator.
        case unwritable
    }

    package func name(_ name: CookieName) -> String {
        guard name.hasPrefix else { return name.text }
        return (isSecure ? "__Host-" : "portico-dev-") + name.text
    }

    /// A `Set-Cookie` field.
    ///
    /// - Parameters:
    ///   - value: Preferably base64url.
    ///   - seconds: How long the browser keeps it; `nil` until it is closed.
    package func set(_ cookie: CookieName, to value: String, for seconds: Int? = nil)
        throws(Refusal) -> HTTPField
    {
        let name = name(cookie)
        guard value.utf8.allSatisfy(Self.isCookieOctet) else { throw .unwritable }
        guard name.utf8.count + value.utf8.count <= Self.maximumLength else { throw .tooLong }
        var text = "\(name)=\(value); Path=/"
        if let seconds { text += "; Max-Age=\(max(0, seconds))" }
        return HTTPField(name: .setCookie, value: text + attributes)
    }

    /// A `Set-Cookie` field that deletes the cookie.
    package func remove(_ cookie: CookieName) -> HTTPField {
        HTTPField(name: .setCookie, value: "\(name(cookie))=; Path=/; Max-Age=0" + attributes)
    }

    private var attributes: String {
        (isSecure ? "; Secure" : "") + "; HttpOnly; SameSite=Lax"
    }

    /// The value of a cookie, or `nil` without one.
    ///
    /// Two cookies with one name are an attack (WEB-COOKIE-7): one of them was planted, and it is
    /// unknown which. The result is then `nil`.
    package func value(of cookie: CookieName, in headers: HTTPFields) -> String? {
        let found = values(of: cookie, in: headers)
        return found.count == 1 ? found[0] : nil
    }

    /// The values of all cookies of that name: for what ends them, and nothing else.
    package func values(of cookie: CookieName, in headers: HTTPFields) -> [String] {
        let name = name(cookie)
        return Self.pairs(in: headers).filter { $0.name.elementsEqual(name.utf8) }.map {
            String(decoding: $0.value, as: UTF8.self).trimmingBlanks
        }
    }

    /// The value that an answer of ours sets a cookie to; `nil` where it sets none, or removes it.
    package func value(of cookie: CookieName, setBy headers: HTTPFields) -> String? {
        let start = name(cookie) + "="
        for field in headers[values: .setCookie] where field.utf8.starts(with: start.utf8) {
            let value = field.utf8.dropFirst(start.utf8.count).prefix { $0 != UInt8(ascii: ";") }
            if !value.isEmpty { return String(decoding: value, as: UTF8.self) }
        }
        return nil
    }

    /// Whether a request has a cookie of that name, even one that ``value(of:in:)`` refuses.
    package func isPresent(_ cookie: CookieName, in headers: HTTPFields) -> Bool {
        let name = name(cookie)
        return Self.pairs(in: headers).contains { $0.name.elementsEqual(name.utf8) }
    }

    /// One of the cookies with a purpose.
    package struct Kept: Hashable, Sendable {
        package let id: String
        /// Its length in the `Cookie` field, in bytes.
        package let length: Int
    }

    /// All cookies of a purpose in a request, in order.
    package func all(of purpose: StaticString, in headers: HTTPFields) -> [Kept] {
        let start = name(CookieName(purpose)) + "-"
        return Self.pairs(in: headers).filter { $0.name.starts(with: start.utf8) }.map {
            Kept(
                id: String(decoding: $0.name.dropFirst(start.utf8.count), as: UTF8.self),
                length: Self.length($0.name.count, $0.value.count)
            )
        }
    }

    /// The length of a cookie in the `Cookie` field, in bytes, with the separator.
    package func length(of cookie: CookieName, _ value: String) -> Int {
        Self.length(name(cookie).utf8.count, value.utf8.count)
    }

    private static func length(_ name: Int, _ value: Int) -> Int {
        name + value + "=; ".utf8.count
    }

    private typealias Pair = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)

    /// All cookies of a request, in order (RFC 6265 §4.2.1). Parsed as bytes: parsing characters is
    /// many times slower.
    private static func pairs(in headers: HTTPFields) -> [Pair] {
        headers[values: .cookie].flatMap { header in
            Array(header.utf8).split(separator: UInt8(ascii: ";")).compactMap { pair -> Pair? in
                let pair = pair.drop { $0.isBlank }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                return (pair[..<equals], pair[(equals + 1)...])
            }
        }
    }

    /// RFC 6265 §4.1.1.
    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}
