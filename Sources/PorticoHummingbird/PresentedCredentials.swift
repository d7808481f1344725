import HTTPTypes
import PorticoBytes

/// The credentials of a request. A token in the field `Authorization` takes precedence: a request
/// uses one method only (RFC 6750 §2).
enum PresentedCredentials: Hashable {
    case bearer(String)
    /// An access token that comes with a proof of possession (RFC 9449 §7.1).
    case proven(String)
    case cookie(String)
    case none
    /// Credentials are present, but cannot be a token.
    case malformed

    /// - Parameters:
    ///   - name: The name of the session cookie, if accepted.
    ///   - takesProofs: Whether the scheme `DPoP` is accepted.
    init(_ fields: HTTPFields, cookie name: String?, takesProofs: Bool) {
        let schemes: [Scheme] = takesProofs ? [.bearer, .dpop] : [.bearer]
        let authorizations = fields[values: .authorization].filter { field in
            Scheme(field).map(schemes.contains) ?? false
        }
        guard authorizations.isEmpty else {
            self = Self.token(in: authorizations) ?? .malformed
            return
        }
        guard let name, let value = Self.value(of: name, in: fields) else {
            self = .none
            return
        }
        self =
            value.isEmpty || !value.utf8.allSatisfy(Self.isTokenCharacter) ? .none : .cookie(value)
    }

    /// Distinguishes sessions in the cache.
    var cacheKey: String {
        switch self {
        case .bearer(let token): "bearer \(token)"
        case .cookie(let value): "cookie \(value)"
        case .proven, .none, .malformed: ""
        }
    }

    private static let longest = 16 * 1024

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
