import Portico
import PorticoProtocol

/// Whether a provider works, as far as is known. A page shows its button in any case, with a note
/// (pages, state D).
package enum ProviderHealth: Hashable, Sendable {
    /// It has not been tried yet.
    case unknown
    case up
    /// - Parameter since: When it was first noticed. Seconds since 1970.
    case down(since: Int64, Reason)

    package enum Reason: Hashable, Sendable {
        case unreachable
        case timedOut
        /// It answers with errors or invalid answers.
        case failing
        /// Its metadata cannot be used, or belongs to another issuer.
        case unusable
    }

    package var isDown: Bool {
        if case .down = self { true } else { false }
    }
}

extension UpstreamClient {
    /// Fetches now what a sign-in needs first: metadata and keys.
    package func probe() async -> ProviderHealth {
        do {
            try await remote.probe()
            health = .up
        } catch {
            note(error, isProbe: true)
        }
        return health
    }

    /// Records what an error shows about the provider. One person's refused code shows nothing.
    func note(_ error: SignInError, isProbe: Bool = false) {
        let reason: ProviderHealth.Reason
        switch error.kind {
        case .transient(.unreachable, _): reason = .unreachable
        case .transient(.timedOut, _): reason = .timedOut
        case .transient(.serverError, _): reason = .failing
        case .misconfigured(.certificateUntrusted): reason = .unreachable
        case .misconfigured, .rejected:
            guard isProbe else { return }
            reason = .unusable
        default: return
        }
        if case .down(let since, _) = health {
            health = .down(since: since, reason)
        } else {
            health = .down(since: NumericDate.seconds(http.now()), reason)
        }
    }
}
