/// A refusal in the words of the standards (RFC 6749 §4.1.2.1, §5.2; OpenID Connect Core §3.1.2.6).
///
/// Three readers, three channels:
/// - the client program switches on ``code``;
/// - its developer reads ``description``, sent as `error_description`;
/// - the person reads neither: a page chooses its own words from ``code``.
///
/// A cause worth keeping (a database error, a failed signature) is logged by whoever saw it. It
/// never travels in this type.
public struct OAuthError: Error, Hashable, Sendable {
    public let code: Code

    /// One English sentence naming the rule that was broken.
    public let description: String

    /// - Parameter description: A literal, so that no secret and nothing of the caller's can get
    ///   into what is sent. ASCII without `"` and `\` (RFC 6749 §5.2).
    public init(_ code: Code, _ description: StaticString) {
        self.code = code
        self.description = "\(description)"
    }
}

extension OAuthError {
    /// The codes, named as the IANA "OAuth Extensions Error" registry names them.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        // RFC 6749 §4.1.2.1 and §5.2
        public static let invalidRequest = Code("invalid_request")
        public static let invalidClient = Code("invalid_client")
        public static let invalidGrant = Code("invalid_grant")
        public static let unauthorizedClient = Code("unauthorized_client")
        public static let unsupportedGrantType = Code("unsupported_grant_type")
        public static let unsupportedResponseType = Code("unsupported_response_type")
        public static let invalidScope = Code("invalid_scope")
        public static let accessDenied = Code("access_denied")
        public static let serverError = Code("server_error")
        public static let temporarilyUnavailable = Code("temporarily_unavailable")

        // RFC 6750 §3.1
        public static let invalidToken = Code("invalid_token")
        public static let insufficientScope = Code("insufficient_scope")

        // RFC 7009 §2.2.1
        public static let unsupportedTokenType = Code("unsupported_token_type")

        // OpenID Connect Core §3.1.2.6
        public static let interactionRequired = Code("interaction_required")
        public static let loginRequired = Code("login_required")
        public static let accountSelectionRequired = Code("account_selection_required")
        public static let consentRequired = Code("consent_required")
        public static let invalidRequestURI = Code("invalid_request_uri")
        public static let requestNotSupported = Code("request_not_supported")
        public static let requestURINotSupported = Code("request_uri_not_supported")
        public static let registrationNotSupported = Code("registration_not_supported")
        /// OpenID Connect Core Unmet Authentication Requirements §2.
        public static let unmetAuthenticationRequirements =
            Code("unmet_authentication_requirements")
    }
}
