import HTTPTypes
import PorticoBytes

/// The credentials of a request. A token in the field `Authorization` takes precedence: a request
/// uses one method only (RFC 6750 §2).
enum PresentedCredentials: Hashable {
    case bearer(String)
    case cookie(String)
    case none
    /// Credentials are present, but cannot be a token.
    case malformed

    /// - Parameter name: The name of the session cookie, if accepted.
    init(_ fields: HTTPFields, cookie name: String?) {
        let authorizations = fields[values: .authorization].filter(Self.isBearer)
        guard authorizations.isEmpty else {
            self = Self.token(in: authorizations).map(Self.bearer) ?? .malformed
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
        case .none, .malformed: ""
        }
    }

    private static let longest = 16 * 1024

    /// The scheme, case-insensitive (RFC 9110 §11.1).
    private static func isBearer(_ field: String) -> Bool {
        field.utf8.count >= 6 && field.prefix(6).lowercased() == "bearer"
            && (field.utf8.count == 6 || field.utf8.dropFirst(6).first == UInt8(ascii: " "))
    }

    private static func token(in fields: [String]) -> String? {
        guard fields.count == 1, let field = fields.first else { return nil }
        let token = field.utf8.dropFirst(6).drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.count <= longest, token.allSatisfy(isTokenCharacter) else {
            return nil
        }
        return String(Substring(token))
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
