extension SignInError {
    /// The check that an answer failed.
    public struct Check: Hashable, Sendable, CustomStringConvertible {
        private let words: String
        private var detail: String?

        package init(_ words: StaticString) {
            self.words = "\(words)"
        }

        /// The same check, with the member of the answer that failed it or what else is wrong: for
        /// the description, while `==` does not compare it.
        package func naming(_ detail: StaticString?) -> Self {
            var check = self
            check.detail = detail.map { "\($0)" }
            return check
        }

        /// One sentence for a log or a developer, made of literals.
        public var description: String { words.naming(detail) }

        public static func == (one: Check, other: Check) -> Bool {
            one.words == other.words
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(words)
        }
    }
}

extension String {
    /// The sentence, with a detail in brackets before its full stop.
    func naming(_ detail: String?) -> String {
        guard let detail else { return self }
        return hasSuffix(".") ? "\(dropLast()) (\(detail))." : "\(self) (\(detail))"
    }
}

extension SignInError.Check {
    /// The same check, failed by an answer of another media type (RFC 6749 §5.1, RFC 8414 §3.2).
    package var notJSON: Self { naming("its Content-Type is not application/json") }
}

extension SignInError.Check {
    // Authorization response
    /// `state` is missing or not the one that was sent (RFC 6749 §10.12). The attempt keeps
    /// waiting.
    public static let state = Self("The response does not belong to this sign-in (state).")
    /// The response arrived at a URI other than this sign-in's redirect URI (RFC 9700 §4.4). The
    /// attempt keeps waiting.
    public static let redirect = Self("The response came in on another redirect URI.")
    /// `iss` of an answer or a token is a different one, or missing although announced (RFC 9207
    /// §2.4, OpenID Connect Core §3.1.3.7, 2).
    public static let issuer = Self("The answer comes from another issuer.")
    /// A parameter is missing or repeated (RFC 6749 §3.1).
    public static let response = Self("The authorization response is malformed.")
    /// One sign-in takes one answer.
    public static let alreadyUsed = Self("This sign-in has already received its response.")
    /// The standards do not define this error code.
    public static let errorResponse = Self("The provider answered with an unknown error.")

    /// `invalid_grant` for the code (RFC 6749 §5.2): it has expired, or was already redeemed.
    public static let codeRefused = Self("The provider refused the code. Try again.")

    // Provider
    /// `issuer` does not equal the requested one, byte for byte (RFC 8414 §3.3).
    public static let metadataIssuer = Self("The metadata belongs to another issuer.")
    /// Not a JSON object, or too large.
    public static let metadata = Self("The provider's metadata is malformed.")
    /// The document at `jwks_uri` is not a key set (RFC 7517 §5).
    public static let keys = Self("The provider's key set is malformed.")

    // Token response
    /// A member is missing or has the wrong type (RFC 6749 §5.1).
    public static let tokenResponse = Self("The token response is malformed.")
    /// A token type that this library does not support (RFC 6749 §7.1).
    public static let tokenType = Self("The token type is not Bearer.")
    /// The tokens were asked for with a proof of possession, and are not bound to its key: the token
    /// type is not DPoP (RFC 9449 §5). The provider does not support it; see
    /// ``SignInClient/Options/dpop``.
    public static let tokenNotBound = Self("The token is not bound to the key of the request.")
    /// Codes and tokens are not forwarded to another address (RFC 9700 §4.12).
    public static let redirected = Self("The endpoint answered with a redirect.")

    // ID Token (OpenID Connect Core §3.1.3.7)
    /// The answer holds no `id_token` (OpenID Connect Core §3.1.3.3).
    public static let idTokenMissing = Self("There is no ID Token.")
    /// Not a JWT of three parts with the required claims (RFC 7519 §7.2).
    public static let idTokenMalformed = Self("The ID Token is malformed.")
    /// It has five parts (RFC 7516 §3).
    public static let idTokenEncrypted = Self("The ID Token is encrypted, which is not supported.")
    /// `none`, an algorithm with a shared secret, or one that the provider does not list (OpenID
    /// Connect Core §3.1.3.7, 6-8).
    public static let algorithm = Self("The ID Token's algorithm is not allowed.")
    /// No key of the set fits, even after a new fetch (OpenID Connect Core §10.1.1).
    public static let key = Self("The ID Token names no key of the provider.")
    /// The token was changed, or signed with another key (OpenID Connect Core §3.1.3.7, 6).
    public static let signature = Self("The ID Token's signature is wrong.")
    /// `sub` is missing, or differs from the earlier one (OpenID Connect Core §5.3.2, §12.2).
    public static let subject = Self("The subject is missing or a different one.")
    /// `aud` does not name this client, or also names others that are not trusted (OpenID Connect
    /// Core §3.1.3.7, 3).
    public static let audience = Self("The ID Token is meant for another client.")
    /// `azp` is another client (OpenID Connect Core §3.1.3.7, 5).
    public static let authorizedParty = Self("The ID Token was issued to another client (azp).")
    /// `exp` has passed or is missing (OpenID Connect Core §3.1.3.7, 9).
    public static let expiry = Self("The ID Token has expired, or does not say when it will.")
    /// `iat` is missing, in the future, or too long ago (OpenID Connect Core §3.1.3.7, 10).
    public static let issuedAt = Self("The ID Token's time of issue is missing or not now.")
    /// `nbf` is in the future (RFC 7519 §4.1.5).
    public static let notBefore = Self("The ID Token is not valid yet.")
    /// `nonce` is missing or not the one that was sent (OpenID Connect Core §3.1.3.7, 11).
    public static let nonce = Self("The ID Token does not belong to this sign-in (nonce).")
    /// `acr` is none of the required values (OpenID Connect Core §3.1.3.7, 12).
    public static let acr = Self("The sign-in was not as strong as asked for (acr).")
    /// `auth_time` is missing or too long ago (OpenID Connect Core §3.1.3.7, 13).
    public static let authTime = Self("The sign-in is older than asked for (auth_time).")
    /// `at_hash` does not match the access token (OpenID Connect Core §3.1.3.8).
    public static let accessTokenHash = Self("The ID Token belongs to another access token.")

    // UserInfo and other answers
    /// The answer exceeds the limit; the rest was not read.
    public static let answerTooLarge = Self("The answer is larger than allowed.")
    /// Not a JSON object, or not the expected type (OpenID Connect Core §5.3.2).
    public static let userInfo = Self("The UserInfo answer is malformed.")
    /// The backend does not accept the identity token of a native sign-in: it is another person's or
    /// app's, was used before, or took too long (``NativeSignIn``).
    public static let identityTokenRefused =
        Self("The backend refused the identity token. Begin again.")
    /// A backend's answer about a session is not a JSON object, or lacks a member.
    public static let backendAnswer = Self("The backend's answer is malformed.")
}
