extension SignInError {
    /// The check that an answer failed.
    public struct Check: Hashable, Sendable, CustomStringConvertible {
        /// One sentence for a log or a developer; a literal.
        public let description: String

        package init(_ description: StaticString) {
            self.description = "\(description)"
        }
    }
}

extension SignInError.Check {
    // Authorization response
    /// `state` is missing or not the one that was sent (RFC 6749 §10.12). The attempt goes on
    /// waiting.
    public static let state = Self("The response does not belong to this sign-in (state).")
    /// It came in elsewhere than on the redirect URI of this sign-in (RFC 9700 §4.4). The attempt
    /// goes on waiting.
    public static let redirect = Self("The response came in on another redirect URI.")
    /// `iss` of an answer or a token is another one, or missing where it is announced
    /// (RFC 9207 §2.4, OpenID Connect Core §3.1.3.7, 2).
    public static let issuer = Self("The answer comes from another issuer.")
    /// A parameter is missing or stands twice (RFC 6749 §3.1).
    public static let response = Self("The authorization response is malformed.")
    /// One sign-in takes one answer.
    public static let alreadyUsed = Self("This sign-in has already had its response.")
    /// The error code is none that the standards know.
    public static let errorResponse = Self("The provider answered with an unknown error.")

    /// `invalid_grant` for the code (RFC 6749 §5.2): it was too old, or somebody was quicker.
    public static let codeRefused = Self("The provider refused the code. Try again.")

    // Provider
    /// `issuer` is not the one that was asked for, to the byte (RFC 8414 §3.3).
    public static let metadataIssuer = Self("The metadata belongs to another issuer.")
    /// It is no JSON object, or too large.
    public static let metadata = Self("The provider's metadata is malformed.")
    /// What `jwks_uri` names is no key set (RFC 7517 §5).
    public static let keys = Self("The provider's key set is malformed.")

    // Token response
    /// A member is missing or of another type (RFC 6749 §5.1).
    public static let tokenResponse = Self("The token response is malformed.")
    /// A type of token that this library could not use (RFC 6749 §7.1).
    public static let tokenType = Self("The token type is not Bearer.")
    /// Codes and tokens are not sent on to another address (RFC 9700 §4.12).
    public static let redirected = Self("The endpoint answered with a redirect.")

    // ID Token (OpenID Connect Core §3.1.3.7)
    /// The answer holds no `id_token` (OpenID Connect Core §3.1.3.3).
    public static let idTokenMissing = Self("There is no ID Token.")
    /// It is no JWT of three parts with the claims that it must have (RFC 7519 §7.2).
    public static let idTokenMalformed = Self("The ID Token is malformed.")
    /// It has five parts (RFC 7516 §3).
    public static let idTokenEncrypted = Self("The ID Token is encrypted, which is not supported.")
    /// `none`, one with a shared secret, or one that the provider does not list (OpenID Connect
    /// Core §3.1.3.7, 6-8).
    public static let algorithm = Self("The ID Token's algorithm is not one that is allowed.")
    /// No key of the set fits, after it was fetched anew (OpenID Connect Core §10.1.1).
    public static let key = Self("The ID Token names no key of the provider.")
    /// It was changed, or signed by somebody else (OpenID Connect Core §3.1.3.7, 6).
    public static let signature = Self("The ID Token's signature is wrong.")
    /// `sub` is missing, or another person's than before (OpenID Connect Core §5.3.2, §12.2).
    public static let subject = Self("The subject is missing or another one.")
    /// `aud` does not name this client, or others that are not trusted (OpenID Connect Core
    /// §3.1.3.7, 3).
    public static let audience = Self("The ID Token is meant for another client.")
    /// `azp` is another client (OpenID Connect Core §3.1.3.7, 5).
    public static let authorizedParty = Self("The ID Token was issued to another client (azp).")
    /// `exp` has passed or is missing (OpenID Connect Core §3.1.3.7, 9).
    public static let expiry = Self("The ID Token has expired, or does not say when it will.")
    /// `iat` is missing, ahead, or too long ago (OpenID Connect Core §3.1.3.7, 10).
    public static let issuedAt = Self("The ID Token's time of issue is missing or not now.")
    /// `nbf` is ahead (RFC 7519 §4.1.5).
    public static let notBefore = Self("The ID Token is not valid yet.")
    /// `nonce` is missing or not the one that was sent (OpenID Connect Core §3.1.3.7, 11).
    public static let nonce = Self("The ID Token does not belong to this sign-in (nonce).")
    /// `acr` is none of those that were required (OpenID Connect Core §3.1.3.7, 12).
    public static let acr = Self("The sign-in was not as strong as asked for (acr).")
    /// `auth_time` is missing or too long ago (OpenID Connect Core §3.1.3.7, 13).
    public static let authTime = Self("The sign-in is older than asked for (auth_time).")
    /// `at_hash` does not fit the access token (OpenID Connect Core §3.1.3.8).
    public static let accessTokenHash = Self("The ID Token belongs to another access token.")

    // UserInfo and other answers
    /// More came than may; the rest was not read.
    public static let answerTooLarge = Self("The answer is larger than allowed.")
    /// It is no JSON object, or not what was to be decoded (OpenID Connect Core §5.3.2).
    public static let userInfo = Self("The UserInfo answer is malformed.")
    /// A backend's answer about a session is no JSON object, or lacks a member.
    public static let backendAnswer = Self("The backend's answer is malformed.")
}
