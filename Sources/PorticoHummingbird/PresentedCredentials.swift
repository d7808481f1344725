import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// The credentials of a request. A token in the field `Authorization` takes precedence: a request
/// uses one method only (RFC 6750 §2).
enum PresentedCredentials: Hashable {
    case bearer(String)
    /// An access token that comes with a proof of possession (RFC 9449 §7.1).
    case proven(String)
    /// Of the session, and of a sign-in by internet handle: the backend says whose they are.
    case cookies([SessionCookie])
    case none
    /// Credentials are present, but cannot be a token.
    case malformed

    /// - Parameters:
    ///   - names: The names of the session cookies, if accepted.
    ///   - takesProofs: Whether the scheme `DPoP` is accepted.
    init(_ fields: HTTPFields, cookies names: [String], takesProofs: Bool) {
        let schemes: [Scheme] = takesProofs ? [.bearer, .dpop] : [.bearer]
        let authorizations = fields[values: .authorization].filter { field in
            Scheme(field).map(schemes.contains) ?? false
        }
        guard authorizations.isEmpty else {
            self = Self.token(in: authorizations) ?? .malformed
            return
        }
        let cookies = names.compactMap { name -> SessionCookie? in
            guard let value = Self.value(of: name, in: fields), !value.isEmpty,
                value.utf8.allSatisfy({ Self.isTokenCharacter($0) || $0 == UInt8(ascii: "%") })
            else { return nil }
            return SessionCookie(name: name, value: value)
        }
        self = cookies.isEmpty ? .none : .cookies(cookies)
    }

    /// One of the backend's cookies.
    struct SessionCookie: Hashable {
        /// Of sign-ins by internet handle.
        static let byHandle = "sid"

        let name: String
        let value: String

        var text: String { "\(name)=\(value)" }
    }

    /// Distinguishes sessions in the cache.
    var cacheKey: String {
        switch self {
        case .bearer(let token): "bearer \(token)"
        case .cookies(let cookies): "cookie " + cookies.map(\.text).joined(separator: "; ")
        case .proven, .none, .malformed: ""
        }
    }

    private static let longest = JWS.standardLimit

    private enum Scheme: String, CaseIterable {
        case bearer, dpop

        /// Case-insensitive (RFC 9110 §11.1).
        init?(_ field: String) {
            let name = field.utf8.prefix { $0 != UInt8(ascii: " ") }
            guard name.count <= 6 else { return nil }
            self.init(wire: String(Substring(name)).lowercased())
        }
    }

    private static func token(in fields: [String]) -> PresentedCredentials? {
        guard fields.count == 1, let field = fields.first, let scheme = Scheme(field) else {
            return nil
        }
        let token = field.utf8.dropFirst(scheme.rawValue.utf8.count).drop {
            $0 == UInt8(ascii: " ")
        }
        guard !token.isEmpty, token.count <= longest, token.allSatisfy(isTokenCharacter) else {
            return nil
        }
        let text = String(Substring(token))
        return scheme == .dpop ? .proven(text) : .bearer(text)
    }

    /// Two cookies with one name are an attack (WEB-COOKIE-7): one of them was planted, and it is
    /// unknown which. The result is then `nil`.
    private static func value(of name: String, in fields: HTTPFields) -> String? {
        var found: Substring?
        for field in fields[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0.isBlank }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { continue }
                guard found == nil else { return nil }
                found = Substring(pair[pair.index(after: equals)...])
            }
        }
        return found.flatMap { $0.utf8.count <= 4096 ? String($0) : nil }
    }

    /// RFC 6750 §2.1 and base64url: no character that could end a field or a cookie.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "+/=*".utf8.contains(byte)
    }
}
