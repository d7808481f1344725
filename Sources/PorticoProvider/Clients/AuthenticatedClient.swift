import PorticoBytes
import PorticoStores

/// A client that has proven to be itself, or a public client that has named itself. Made by
/// ``ClientAuthentication`` only: having one is the proof.
struct AuthenticatedClient: Sendable {
    let client: Client
    /// The assertion it authenticated with, until some transaction spends it.
    let assertion: PendingAssertion
    /// Whether that assertion was for the token endpoint, and not for the issuer.
    let assertedForEndpoint: Bool

    init(proven client: Client, assertion: UsedAssertion?, forEndpoint: Bool = false) {
        self.client = client
        assertedForEndpoint = forEndpoint
        self.assertion = PendingAssertion(assertion)
    }

    /// Whether it proved its identity: a public client only names itself (RFC 6749 §2.2).
    var isConfidential: Bool { client.type == .confidential }
}

/// A client assertion is spent by exactly one transaction: the one that the request makes anyway,
/// or, where it makes none, one of its own (docs/decisions/0034; RFC 7523 §3).
final class PendingAssertion: Sendable {
    private let assertion: Locked<UsedAssertion?>

    init(_ assertion: UsedAssertion?) {
        self.assertion = Locked(assertion)
    }

    /// The assertion, the first time; then `nil`.
    func take() -> UsedAssertion? {
        assertion.withLock { assertion in
            defer { assertion = nil }
            return assertion
        }
    }
}
