extension SignInError {
    /// The check that an answer failed.
    public struct Check: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: StaticString) {
            self.description = "\(description)"
        }
    }
}

extension SignInError.Check {
    // Authorization response
    public static let state = Self("The response does not belong to this sign-in (state).")
    public static let redirect = Self("The response came in on another redirect URI.")
    public static let issuer = Self("The answer comes from another issuer.")
    public static let response = Self("The authorization response is malformed.")
    public static let alreadyUsed = Self("This sign-in has already had its response.")
    public static let errorResponse = Self("The provider answered with an unknown error.")

    public static let codeRefused = Self("The provider refused the code. Try again.")

    // Provider
    public static let metadataIssuer = Self("The metadata belongs to another issuer.")
    public static let metadata = Self("The provider's metadata is malformed.")
    public static let keys = Self("The provider's key set is malformed.")

    // Token response
    public static let tokenResponse = Self("The token response is malformed.")
    public static let tokenType = Self("The token type is not Bearer.")
    public static let redirected = Self("The endpoint answered with a redirect.")

    // ID Token (OpenID Connect Core §3.1.3.7)
    public static let idTokenMissing = Self("There is no ID Token.")
    public static let idTokenMalformed = Self("The ID Token is malformed.")
    public static let idTokenEncrypted = Self("The ID Token is encrypted, which is not supported.")
    public static let algorithm = Self("The ID Token's algorithm is not one that is allowed.")
    public static let key = Self("The ID Token names no key of the provider.")
    public static let signature = Self("The ID Token's signature is wrong.")
    public static let subject = Self("The subject is missing or another one.")
    public static let audience = Self("The ID Token is meant for another client.")
    public static let authorizedParty = Self("The ID Token was issued to another client (azp).")
    public static let expiry = Self("The ID Token has expired, or does not say when it will.")
    public static let issuedAt = Self("The ID Token's time of issue is missing or not now.")
    public static let notBefore = Self("The ID Token is not valid yet.")
    public static let nonce = Self("The ID Token does not belong to this sign-in (nonce).")
    public static let acr = Self("The sign-in was not as strong as asked for (acr).")
    public static let authTime = Self("The sign-in is older than asked for (auth_time).")
    public static let accessTokenHash = Self("The ID Token belongs to another access token.")

    // UserInfo and other answers
    public static let answerTooLarge = Self("The answer is larger than allowed.")
    public static let userInfo = Self("The UserInfo answer is malformed.")
}
