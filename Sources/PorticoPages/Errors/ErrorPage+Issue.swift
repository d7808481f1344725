extension ErrorPage {
    /// What went wrong, as far as it makes a difference to the person.
    package enum Issue: Sendable, Equatable {
        case cancelled
        case requestNotUnderstood
        case unknownClient
        /// The redirect URI is not one of the client's, so that nothing is ever sent there.
        case unknownRedirect
        case signInNeeded
        case accountBlocked
        case notAllowed
        case providerNotAnswering(name: String)
        case providerMisconfigured(name: String)
        /// The administrator of the person's organisation does not allow this app.
        case organisationDenies
        case signUpClosed
        /// The hand-over to the app was too late or not for it.
        case handOffLost
        case busy
        case serverError
        case tooLarge
        case tooManyTries(seconds: Int)
        case notFound
        case methodNotAllowed

        /// - Parameter code: An `error` of RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6, or of an
        ///   extension. One that is not known here is our own mistake, and told as that.
        package init(oauthError code: String) {
            self =
                switch code {
                case "access_denied": .cancelled
                case "invalid_request", "invalid_scope", "unsupported_response_type",
                    "invalid_request_object", "invalid_request_uri", "request_not_supported",
                    "request_uri_not_supported", "registration_not_supported", "invalid_target",
                    "invalid_authorization_details", "invalid_dpop_proof":
                    .requestNotUnderstood
                case "invalid_client", "unauthorized_client": .unknownClient
                case "login_required", "interaction_required", "account_selection_required",
                    "consent_required", "insufficient_user_authentication",
                    "unmet_authentication_requirements", "invalid_grant":
                    .signInNeeded
                case "temporarily_unavailable": .busy
                default: .serverError
                }
        }

        static let gallery: [(name: String, issue: Issue)] = [
            ("cancelled", .cancelled),
            ("request not understood", .requestNotUnderstood),
            ("unknown client", .unknownClient),
            ("unknown redirect", .unknownRedirect),
            ("sign-in needed", .signInNeeded),
            ("account blocked", .accountBlocked),
            ("not allowed", .notAllowed),
            ("provider not answering", .providerNotAnswering(name: "Google")),
            ("provider misconfigured", .providerMisconfigured(name: "Google")),
            ("organisation denies", .organisationDenies),
            ("sign-up closed", .signUpClosed),
            ("hand-off lost", .handOffLost),
            ("busy", .busy),
            ("server error", .serverError),
            ("too large", .tooLarge),
            ("too many tries", .tooManyTries(seconds: 200)),
            ("not found", .notFound),
            ("method not allowed", .methodNotAllowed),
        ]
    }
}
