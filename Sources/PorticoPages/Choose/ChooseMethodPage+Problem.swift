extension ChooseMethodPage {
    /// Why a person is back at the choice. The provider is `nil` where it is not known which it was.
    package enum Problem: Sendable, Equatable {
        /// The person stopped at the provider's.
        case cancelled(MethodLabel?)
        case tookTooLong
        /// Started in another browser, or the cookie was not kept.
        case unmatched
        case notAnswering(MethodLabel?)
        /// An operator has to put a setting right.
        case misconfigured(MethodLabel?)
        /// The administrator of the person's organisation does not allow this app.
        case organisationDenies
        case signUpClosed
        case accountBlocked
        case emailUnverified
        /// There is an account with this e-mail: it is signed in to first.
        case linkRequired(MethodLabel?)
        case signInAgain
        /// The provider was to ask who the person is, and answered by a session that it had.
        case notReauthenticated(MethodLabel?)
        /// Something of ours, or nothing that is known.
        case failed(MethodLabel?)

        /// What `/login?error=E&reason=R` means. What is not known is `.failed`.
        ///
        /// - Parameter provider: From our own settings, never from the address.
        package init(error: String, reason: String?, provider: MethodLabel?) {
            self =
                Self.known(reason ?? "", provider) ?? Self.known(error, provider)
                ?? .failed(provider)
        }

        /// Reasons are narrower than errors, so they are asked first.
        private static func known(_ code: String, _ provider: MethodLabel?) -> Self? {
            switch code {
            case "user_denied_permission", "access_denied", "user_denied",
                "user_cancelled_authorize", "cancelled":
                .cancelled(provider)
            case "expired", "flow_expired": .tookTooLong
            case "unknown", "invalid_state", "state_missing", "state_mismatch": .unmatched
            case "provider_unreachable", "provider_error", "temporarily_unavailable":
                .notAnswering(provider)
            case "provider_misconfigured", "invalid_client", "unauthorized_client",
                "redirect_uri_mismatch":
                .misconfigured(provider)
            case "admin_policy", "admin_policy_enforced", "org_internal", "organisation":
                .organisationDenies
            case "signup_closed", "sign_up_closed": .signUpClosed
            case "account_blocked": .accountBlocked
            case "email_unverified": .emailUnverified
            case "link_required": .linkRequired(provider)
            case "not_reauthenticated": .notReauthenticated(provider)
            case "login_required", "interaction_required", "insufficient_user_authentication",
                "session_expired":
                .signInAgain
            default: nil
            }
        }

        func told(_ words: Words) -> ErrorSummary {
            let told = words.problem(self)
            let values = ["provider": Template.Value.words(words.method.name(provider))]
            return ErrorSummary(
                summaryTitle: told.title(values),
                items: [.init(text: told.sentence(values), field: nil)]
            )
        }

        private var provider: MethodLabel? {
            switch self {
            case .cancelled(let provider), .notAnswering(let provider),
                .misconfigured(let provider), .linkRequired(let provider),
                .notReauthenticated(let provider), .failed(let provider):
                provider
            case .tookTooLong, .unmatched, .organisationDenies, .signUpClosed, .accountBlocked,
                .emailUnverified, .signInAgain:
                nil
            }
        }
    }
}
