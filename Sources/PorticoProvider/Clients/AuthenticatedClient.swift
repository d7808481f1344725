import PorticoBytes
import PorticoStores

/// A client that has authenticated, or a public client that has identified itself. Only
/// ``ClientAuthentication`` makes one: having it is the proof.
struct AuthenticatedClient: Sendable {
    let client: Client
    /// The assertion it authenticated with, until a transaction spends it.
    let assertion: PendingAssertion
    /// Whether that assertion was for the token endpoint instead of the issuer.
    let assertedForEndpoint: Bool

    init(proven client: Client, assertion: UsedAssertion?, forEndpoint: Bool = false) {
        self.client = client
        assertedForEndpoint = forEndpoint
        self.assertion = PendingAssertion(assertion)
    }

    /// Whether it authenticated: a public client only identifies itself (RFC 6749 §2.2).
    var isConfidential: Bool { client.type == .confidential }
}

/// A client assertion that exactly one transaction spends: the one that the request makes anyway
/// or, if it makes none, a separate one (docs/decisions/0034; RFC 7523 §3).
final class PendingAssertion: Sendable {
    private let assertion: Locked<UsedAssertion?>

    init(_ assertion: UsedAssertion?) {
        self.assertion = Locked(assertion)
    }

    /// The assertion at the first call; then `nil`.
    func take() -> UsedAssertion? {
        assertion.withLock { assertion in
            defer { assertion = nil }
            return assertion
        }
    }
}
