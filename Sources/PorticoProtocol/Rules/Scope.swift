/// The permissions of an access token: a set of tokens without a meaningful order (RFC 6749 §3.3).
public struct Scope: Hashable, Sendable {
    /// The tokens in the order given, without repeats.
    public let tokens: [String]

    /// The longest accepted `scope` parameter, in bytes, and the most tokens in it.
    static let longest = 4096
    static let most = 100

    /// Reads a `scope` parameter: tokens separated by spaces; repeats are dropped.
    ///
    /// - Throws: `invalid_scope` if a token has a character outside `%x21 / %x23-5B / %x5D-7E` (RFC
    ///   6749 §3.3), or if there are more than 4,096 bytes or 100 different tokens.
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

    /// - Parameter tokens: Well-formed scope tokens, for instance from the registration.
    package init(tokens: [String]) {
        var unique: [String] = []
        for token in tokens where !unique.contains(token) { unique.append(token) }
        self.tokens = unique
    }

    /// An empty scope.
    public static let none = Scope(tokens: [])

    /// The `scope` parameter: tokens separated by single spaces.
    public var text: String { tokens.joined(separator: " ") }

    /// Whether the scope is empty.
    public var isEmpty: Bool { tokens.isEmpty }

    /// Whether the token is granted; it must match exactly.
    public func contains(_ token: String) -> Bool {
        tokens.contains(token)
    }

    /// Whether `other` has every token of this scope.
    public func isSubset(of other: Scope) -> Bool {
        tokens.allSatisfy(other.contains)
    }

    /// The tokens of this scope that are also in `other`.
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

/// How a client's scope tokens are read.
package enum ScopeRule: String, CaseIterable, Hashable, Sendable {
    /// Each is the name of one of the realm's scopes.
    case named
    /// Permissions with parameters, all of them in the client's document, `atproto` among them
    /// (``ATScope``).
    case atProtocol = "atproto"
}
