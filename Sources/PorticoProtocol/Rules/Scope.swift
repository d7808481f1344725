/// What an access token may be used for: a set of tokens, their order without meaning
/// (RFC 6749 §3.3).
public struct Scope: Hashable, Sendable {
    /// The tokens in the order first given, without repeats.
    public let tokens: [String]

    /// The longest `scope` parameter that is read, in bytes, and how many tokens it may have.
    static let longest = 4096
    static let most = 100

    /// Reads a `scope` parameter: tokens with spaces between; repeats are dropped.
    ///
    /// - Throws: `invalid_scope` where a token has a character outside
    ///   `%x21 / %x23-5B / %x5D-7E` (RFC 6749 §3.3), or where there are more than 4,096 bytes or 100
    ///   different tokens.
    public init(_ text: String) throws(OAuthError) {
        guard text.utf8.count <= Self.longest else {
            throw OAuthError(.invalidScope, "scope is too long.")
        }
        var tokens: [String] = []
        for token in text.utf8.split(separator: UInt8(ascii: " ")) {
            guard token.allSatisfy(Self.isTokenCharacter) else {
                throw OAuthError(.invalidScope, "scope has a character that is not allowed.")
            }
            let token = String(Substring(token))
            if !tokens.contains(token) { tokens.append(token) }
            guard tokens.count <= Self.most else {
                throw OAuthError(.invalidScope, "scope has too many tokens.")
            }
        }
        self.tokens = tokens
    }

    /// - Parameter tokens: Scope tokens known to be well-formed, for instance from the registration.
    package init(tokens: [String]) {
        var unique: [String] = []
        for token in tokens where !unique.contains(token) { unique.append(token) }
        self.tokens = unique
    }

    /// No token at all.
    public static let none = Scope(tokens: [])

    /// The `scope` parameter: tokens with single spaces between.
    public var text: String { tokens.joined(separator: " ") }

    /// Whether there is no token.
    public var isEmpty: Bool { tokens.isEmpty }

    /// Whether the token is granted, compared to the letter.
    public func contains(_ token: String) -> Bool {
        tokens.contains(token)
    }

    /// Whether `other` has every token of this scope.
    public func isSubset(of other: Scope) -> Bool {
        tokens.allSatisfy(other.contains)
    }

    /// The tokens of this scope that `other` has too.
    package func intersection(_ other: Scope) -> Scope {
        Scope(tokens: tokens.filter(other.contains))
    }

    public static func == (one: Scope, other: Scope) -> Bool {
        one.tokens.count == other.tokens.count && one.isSubset(of: other)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(tokens))
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}
