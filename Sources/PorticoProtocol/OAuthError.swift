/// A refusal with a standard error code (RFC 6749 §4.1.2.1, §5.2; OpenID Connect Core §3.1.2.6).
///
/// It has three readers:
/// - the client program switches on ``code``;
/// - its developer reads ``description``, sent as `error_description`;
/// - the person reads neither: a page chooses its own words for ``code``.
///
/// A cause worth recording (a database error, a failed signature) is logged where it occurs. It is
/// never part of this type.
public struct OAuthError: Error, Hashable, Sendable {
    /// What went wrong, for the program.
    public let code: Code

    /// One English sentence naming the broken rule.
    public let description: String

    /// A refusal with its reason.
    ///
    /// - Parameters:
    ///   - code: For the program.
    ///   - description: For its developer: a literal, so that neither a secret nor foreign text can
    ///     be sent. ASCII without `"` and `\` (RFC 6749 §5.2).
    public init(_ code: Code, _ description: StaticString) {
        self.code = code
        self.description = "\(description)"
    }

    /// A refusal for what is wrong with one parameter: `state is too long.`
    ///
    /// - Parameters:
    ///   - parameter: Its name, of a protocol and not of the request.
    ///   - problem: The rest of the sentence, a literal too.
    package init(_ code: Code, parameter: StaticString, _ problem: StaticString) {
        self.code = code
        description = "\(parameter) \(problem)"
    }
}

extension OAuthError {
    /// The codes, with the names in the IANA "OAuth Extensions Error" registry.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// A parameter is missing, repeated or malformed (RFC 6749 §4.1.2.1, §5.2).
        public static let invalidRequest = Code("invalid_request")
        /// The client is unknown or did not authenticate (RFC 6749 §5.2).
        public static let invalidClient = Code("invalid_client")
        /// The code or refresh token is not valid, or not for this client (RFC 6749 §5.2).
        public static let invalidGrant = Code("invalid_grant")
        /// The client may not use this grant type or response type (RFC 6749 §4.1.2.1, §5.2).
        public static let unauthorizedClient = Code("unauthorized_client")
        /// The grant type is not supported (RFC 6749 §5.2).
        public static let unsupportedGrantType = Code("unsupported_grant_type")
        /// The response type is not supported (RFC 6749 §4.1.2.1).
        public static let unsupportedResponseType = Code("unsupported_response_type")
        /// The scope is malformed, unknown or too wide (RFC 6749 §4.1.2.1, §5.2).
        public static let invalidScope = Code("invalid_scope")
        /// The person or the server refused (RFC 6749 §4.1.2.1).
        public static let accessDenied = Code("access_denied")
        /// An unexpected error at the server (RFC 6749 §4.1.2.1).
        public static let serverError = Code("server_error")
        /// The server is overloaded (RFC 6749 §4.1.2.1).
        public static let temporarilyUnavailable = Code("temporarily_unavailable")

        /// The access token is expired, revoked or malformed (RFC 6750 §3.1).
        public static let invalidToken = Code("invalid_token")
        /// The access token does not include the required scope (RFC 6750 §3.1).
        public static let insufficientScope = Code("insufficient_scope")

        /// The proof of possession is missing or wrong (RFC 9449 §5).
        public static let invalidDPoPProof = Code("invalid_dpop_proof")
        /// The proof of possession needs a nonce of the server (RFC 9449 §8).
        public static let useDPoPNonce = Code("use_dpop_nonce")

        /// A redirect URI of a client's registration or document is not allowed (RFC 7591 §3.2.2).
        public static let invalidRedirectURI = Code("invalid_redirect_uri")
        /// Another value of a client's registration or document is not allowed (RFC 7591 §3.2.2).
        public static let invalidClientMetadata = Code("invalid_client_metadata")
        /// The address that a client is named by is not one whose document is read. AT Protocol's
        /// servers answer with it; no RFC has it.
        public static let invalidClientID = Code("invalid_client_id")

        /// No token is to be had for that audience or resource (RFC 8693 §2.2.2).
        public static let invalidTarget = Code("invalid_target")

        /// The server does not revoke tokens of this type (RFC 7009 §2.2.1).
        public static let unsupportedTokenType = Code("unsupported_token_type")

        /// The person would have to do something (OpenID Connect Core §3.1.2.6).
        public static let interactionRequired = Code("interaction_required")
        /// The person would have to sign in (OpenID Connect Core §3.1.2.6).
        public static let loginRequired = Code("login_required")
        /// The person would have to choose an account (OpenID Connect Core §3.1.2.6).
        public static let accountSelectionRequired = Code("account_selection_required")
        /// The person would have to consent (OpenID Connect Core §3.1.2.6).
        public static let consentRequired = Code("consent_required")
        /// The `request_uri` is unknown or expired (OpenID Connect Core §3.1.2.6).
        public static let invalidRequestURI = Code("invalid_request_uri")
        /// Request objects are not supported (OpenID Connect Core §3.1.2.6).
        public static let requestNotSupported = Code("request_not_supported")
        /// `request_uri` is not supported (OpenID Connect Core §3.1.2.6).
        public static let requestURINotSupported = Code("request_uri_not_supported")
        /// `registration` is not supported (OpenID Connect Core §3.1.2.6).
        public static let registrationNotSupported = Code("registration_not_supported")
        /// An essential `acr` cannot be reached (OpenID Connect Core Unmet Authentication
        /// Requirements §2).
        public static let unmetAuthenticationRequirements =
            Code("unmet_authentication_requirements")
    }
}
