package import PorticoATProtocol
import PorticoBytes
package import PorticoProtocol

/// Why a sign-in by handle does not continue. People read different words for each, because each
/// needs a different remedy.
package enum HandleFault: Error, Hashable, Sendable {
    case unreadable
    /// It may mean this handle, which is not tried before the person agrees.
    case proposed(String)
    /// No account has that handle or DID, or several have.
    case notFound(String)
    /// The account does not name the handle as its own.
    case notConfirmed
    case unreachable(host: String)
    /// The host has no sign-in for apps that follows the profile, or refuses us.
    ///
    /// - Parameter error: Why it refuses us, if it said so in a standard's word.
    case withoutSignIn(host: String, error: OAuthError.Code? = nil)
    /// It began with this handle or DID, and ended with another account.
    case otherAccount(String)
    /// The host ended the sign-in, or it ended at another host.
    case notFinished
    case denied
    case expired
    /// The address began too many sign-ins.
    case tooMany(seconds: Double)
    /// A temporary problem of ours.
    case busy
}

extension HandleFault {
    /// - Parameters:
    ///   - text: The handle, DID or host that was looked for.
    ///   - directory: The host of the directory of DIDs.
    package init(_ error: IdentityError, of text: String, directory: String) {
        self =
            switch error {
            case .handleNotFound, .handleAmbiguous, .didNotFound: .notFound(text)
            case .handleOfAnother: .notConfirmed
            case .handleUnreachable: .unreachable(host: text)
            case .directoryUnreachable: .unreachable(host: directory)
            case .documentInvalid, .invalidHost, .noHost: .withoutSignIn(host: text)
            case .busy: .busy
            }
    }

    package init(_ error: DiscoveryError, of host: String) {
        self =
            switch error {
            case .hostUnreachable, .serverUnreachable: .unreachable(host: host)
            case .noServer, .profile, .otherServer: .withoutSignIn(host: host)
            case .busy: .busy
            }
    }

    package init(_ error: ATError, of host: String) {
        self =
            switch error {
            case .network(.busy): .busy
            case .network, .server: .unreachable(host: host)
            case .client(let error), .refused(let error):
                .withoutSignIn(host: host, error: error)
            case .nonce: .withoutSignIn(host: host)
            case .unusable(.otherSubject, _), .invalidGrant: .notFinished
            case .unusable: .withoutSignIn(host: host)
            case .signing: .busy
            }
    }

    /// Whether it is logged. Mistyped handles are not, nor how often people try.
    package var isTold: Bool {
        switch self {
        case .unreadable, .proposed, .tooMany: false
        default: true
        }
    }

    /// Whether the person may continue at once: a waiting app gets no answer yet.
    package var isAskedAgain: Bool {
        switch self {
        case .otherAccount, .notFinished, .busy: true
        default: false
        }
    }

    /// A word for logs, without any foreign text.
    package var word: String {
        switch self {
        case .unreadable: "unreadable"
        case .proposed: "proposed"
        case .notFound: "not_found"
        case .notConfirmed: "not_confirmed"
        case .unreachable: "unreachable"
        case .withoutSignIn: "without_sign_in"
        case .otherAccount: "other_account"
        case .notFinished: "not_finished"
        case .denied: "denied"
        case .expired: "expired"
        case .tooMany: "rate_limited"
        case .busy: "busy"
        }
    }

    /// Helps an operator find the problem: the host, if its name is a valid one, and its error, if
    /// that is a known word.
    var details: [String: String] {
        switch self {
        case .unreachable(let host): ["host": host]
        case .withoutSignIn(let host, let error):
            ["host": host].merging(
                error.map { Self.told.contains($0) ? ["error": $0.rawValue] : [:] } ?? [:]
            ) { $1 }
        default: [:]
        }
    }

    private static let told: Set<OAuthError.Code> = [
        .invalidScope, .invalidRequest, .invalidClient, .unauthorizedClient, .invalidClientMetadata,
        .invalidClientID, .invalidRedirectURI, .accessDenied, .unsupportedResponseType,
        .unsupportedGrantType, .invalidDPoPProof,
    ]

    /// The answer for programs. Pages have the same status.
    package var error: ServiceError {
        switch self {
        case .unreadable, .proposed:
            ServiceError(.invalidRequest, "handle is no handle, DID or https address of a host.")
        case .notFound: ServiceError(.handleNotFound, "No account has that handle.")
        case .notConfirmed:
            ServiceError(.handleNotFound, "The account does not name that handle as its own.")
        case .unreachable:
            ServiceError(.hostUnreachable, "A host does not answer.", retryAfter: 5)
        case .withoutSignIn:
            ServiceError(.providerError, "The host has no sign-in that can be used.")
        case .otherAccount:
            ServiceError(
                .accessDenied,
                "Another account signed in than the one that was asked for."
            )
        case .notFinished: ServiceError(.accessDenied, "The sign-in was not finished.")
        case .denied: ServiceError(.accessDenied, "The person stopped the sign-in.")
        case .expired: ServiceError(.invalidState, "The sign-in took too long.")
        case .tooMany(let seconds):
            ServiceError(
                .rateLimited,
                "Too many sign-ins were started from this address.",
                retryAfter: seconds
            )
        case .busy: .busy
        }
    }

    /// The parameters for an app (RFC 6749 §4.1.2.1).
    package var forApps: [(name: String, value: String)] {
        let code =
            switch self {
            case .expired: "expired"
            case .denied, .otherAccount, .notFinished: "access_denied"
            case .unreachable, .tooMany, .busy: "temporarily_unavailable"
            default: "server_error"
            }
        return [("error", code), ("error_description", error.message)]
    }
}
