import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// What becomes of a refresh token that was used (RFC 6749 §6, RFC 9700 §4.14.2).
public enum RefreshRotation: Hashable, Sendable {
    /// It is replaced. A repetition with the same `Idempotency-Key` gets the same successor, as
    /// from Portico's own provider; any other reuse ends the session.
    case idempotent
    /// It is replaced, and a repetition ends the session, as at most providers.
    case plain
    /// It stays valid.
    case reusable
}

/// The tokens of one sign-in, one after the other.
struct TokenFamily: Sendable {
    let number: Int
    let subject: String
    /// What the tokens are bound to, if anything.
    let key: JWKThumbprint?
    /// Whether the session token is a cookie, which replaces itself.
    let isCookie: Bool
    private(set) var isOver = false
    private var generation = 0
    private var lastKey: String?
    private var accessTokens: [String: Date] = [:]

    init(number: Int, subject: String, key: JWKThumbprint? = nil, isCookie: Bool = false) {
        self.number = number
        self.subject = subject
        self.key = key
        self.isCookie = isCookie
    }

    var refreshToken: String { token(of: generation) }

    private func token(of generation: Int) -> String { "refresh-\(number)-\(generation)" }

    /// Whether a token, of now or spent, belongs here.
    func has(_ token: String) -> Bool {
        token.hasPrefix("refresh-\(number)-") || accessTokens[token] != nil
    }

    func isLive(_ accessToken: String, at now: Date) -> Bool {
        accessTokens[accessToken].map { $0 > now } ?? false
    }

    func expiry(of accessToken: String) -> Date? { accessTokens[accessToken] }

    mutating func issue(_ accessToken: String, until expiry: Date) {
        accessTokens[accessToken] = expiry
    }

    mutating func end() {
        isOver = true
        accessTokens = [:]
    }

    /// - Returns: Whether the token is good for new ones.
    mutating func use(_ token: String, key: String?, _ rotation: RefreshRotation) -> Bool {
        guard !isOver else { return false }
        if sameBytes(token, refreshToken) {
            if rotation != .reusable { generation += 1 }
            lastKey = key
            return true
        }
        if rotation == .idempotent, sameBytes(token, self.token(of: generation - 1)), let key,
            let lastKey, sameBytes(key, lastKey)
        {
            return true
        }
        end()
        return false
    }
}
