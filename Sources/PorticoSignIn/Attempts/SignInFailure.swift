package import Portico
import PorticoProtocol
import PorticoUpstream

/// Why a web sign-in ended at the sign-in page: `/login?error=…&reason=…` (docs/decisions/0028).
package struct SignInFailure: Error, Hashable, Sendable {
    let error: Kind
    let reason: Reason

    package enum Kind: String, Sendable {
        case accessDenied = "access_denied"
        case authenticationFailed = "authentication_failed"
        case invalidState = "invalid_state"
        case emailUnverified = "email_unverified"
        case linkRequired = "link_required"
        case accountBlocked = "account_blocked"
        case signUpClosed = "sign_up_closed"
    }

    package enum Reason: String, CaseIterable, Sendable {
        case userDeniedPermission = "user_denied_permission"
        case organisation = "organisation"
        case tokenExchangeFailed = "token_exchange_failed"
        case invalidIDToken = "invalid_id_token"
        case providerError = "provider_error"
        case providerUnreachable = "provider_unreachable"
        case providerMisconfigured = "provider_misconfigured"
        case interactionRequired = "interaction_required"
        /// The provider had to ask the person again, but used an existing session.
        case notReauthenticated = "not_reauthenticated"
        case expired
        case unknown
        case secondOfProvider = "second_of_provider"
        case closed
        case blocked
    }

    package init(_ error: Kind, _ reason: Reason) {
        self.error = error
        self.reason = reason
    }

    /// The failure for the flow's checks and the provider's answers. None of the provider's text is
    /// passed on (PRV-E-1).
    package init(_ error: SignInError) {
        switch error.kind {
        case .denied, .cancelled: self.init(.accessDenied, .userDeniedPermission)
        case .interactionRequired: self.init(.authenticationFailed, .interactionRequired)
        case .transient: self.init(.authenticationFailed, .providerUnreachable)
        case .misconfigured: self.init(.authenticationFailed, .providerMisconfigured)
        case .rejected(let check):
            if check == .state || check == .alreadyUsed {
                self.init(.invalidState, .unknown)
            } else if check == .hostedDomain {
                self.init(.accessDenied, .organisation)
            } else if check == .authTime {
                self.init(.authenticationFailed, .notReauthenticated)
            } else if Self.tokenChecks.contains(check) {
                self.init(.authenticationFailed, .invalidIDToken)
            } else {
                self.init(.authenticationFailed, .tokenExchangeFailed)
            }
        case .storage: self.init(.authenticationFailed, .providerError)
        }
    }

    private static let tokenChecks: Set<SignInError.Check> = [
        .signature, .algorithm, .key, .audience, .authorizedParty, .expiry, .issuedAt, .notBefore,
        .nonce, .subject, .idTokenMissing, .idTokenMalformed, .idTokenEncrypted, .accessTokenHash,
        .acr,
    ]

    /// The parameters for an app (RFC 6749 §4.1.2.1): its `error` and `error_description`.
    var forApps: [(name: String, value: String)] {
        let (code, description): (String, String) =
            switch (error, reason) {
            case (.accessDenied, .organisation):
                ("access_denied", "The account's organisation is not one of those here.")
            case (.accessDenied, _): ("access_denied", "The person stopped the sign-in.")
            case (_, .providerUnreachable):
                ("temporarily_unavailable", "The identity provider does not answer.")
            case (.invalidState, .expired): ("access_denied", "The sign-in took too long.")
            case (.invalidState, _): ("invalid_request", "The sign-in could not be matched.")
            case (.accountBlocked, _): ("access_denied", "The account is blocked.")
            case (.signUpClosed, _): ("access_denied", "New accounts are closed.")
            case (.linkRequired, _): ("interaction_required", "The person has an account already.")
            case (_, .interactionRequired), (_, .notReauthenticated):
                ("interaction_required", "The person has to sign in to the provider again.")
            default: ("server_error", "The sign-in did not succeed.")
            }
        return [("error", code), ("error_description", description)]
    }
}
