import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A client that has authenticated, or a public client that has identified itself. Only
/// ``ClientAuthentication`` makes one: having it is the proof.
struct AuthenticatedClient: Sendable {
    let client: Client
    /// What its request has that is good once, until a transaction spends it.
    let uses: PendingUses
    /// Whether its assertion was for the token endpoint instead of the issuer.
    let assertedForEndpoint: Bool
    /// The key that it has authenticated with, if it did by an assertion.
    private let key: VerificationKey?
    /// The proof of possession that came with the request, if any (RFC 9449 §5).
    private(set) var proof: DPoPProof?

    init(
        proven client: Client,
        assertion: SpentOnce?,
        forEndpoint: Bool = false,
        by key: VerificationKey? = nil
    ) {
        self.client = client
        self.key = key
        assertedForEndpoint = forEndpoint
        uses = PendingUses(assertion)
    }

    /// The same with the proof of its request.
    func proving(_ proof: DPoPProof?) -> AuthenticatedClient {
        var client = self
        client.proof = proof
        if let proof { uses.add(proof.use) }
        return client
    }

    /// Whether it authenticated: a public client only identifies itself (RFC 6749 §2.2).
    var isConfidential: Bool { client.type == .confidential }

    /// The refusal of a request with something that was used before.
    func refusal(ofRepeated kind: SpentOnce.Kind) -> any Error {
        switch kind {
        case .assertion: UnprovenClient(.replayed, client)
        case .proof: ProofCheck.repeated
        case .challenge, .other:
            OAuthError(.invalidGrant, "The code_challenge was used before.")
        }
    }

    /// Spends what its request has that is good once, where the answer writes nothing else.
    func spend(in grants: GrantStore, at moment: Moment) async throws {
        let uses = uses.take()
        guard !uses.isEmpty else { return }
        if case .spentBefore(let kind) = try await grants.spend(uses, at: moment.seconds) {
            throw refusal(ofRepeated: kind)
        }
    }

    /// The key that a grant binds its refresh tokens to: that of a client which proves nothing else
    /// (RFC 9449 §5), or of every client (``RealmProfile/requiresProofs``).
    func boundKey(in realm: LiveRealm) -> JWKThumbprint? {
        isConfidential && !realm.realm.profile.requiresProofs ? nil : proof?.thumbprint
    }

    /// What a grant binds its client's authentication to: the key of its first assertion
    /// (``RealmProfile/bindsClientKeys``).
    func ownKey(in realm: LiveRealm) -> String? {
        realm.realm.profile.bindsClientKeys ? key?.binding : nil
    }

    /// - Throws: `invalid_grant` if the grant is bound to another key of the client's.
    func checkOwnKey(of grant: Grant) throws(OAuthError) {
        guard hasOwnKey(of: grant) else {
            throw OAuthError(.invalidGrant, "The session began with another key of the client's.")
        }
    }

    /// - Throws: `invalid_grant` if the code's request was pushed with another key of the client's.
    func checkOwnKey(of code: AuthorizationCode) throws(OAuthError) {
        guard let bound = code.clientKey else { return }
        guard let key, Hash256(of: key.binding) == bound else {
            throw OAuthError(.invalidGrant, "The request was pushed with another key.")
        }
    }

    private func hasOwnKey(of grant: Grant) -> Bool {
        guard let bound = grant.clientKey else { return true }
        return key.map { sameBytes($0.binding, bound) } ?? false
    }

    /// Whether the request may end the grant by one of its tokens: what is bound to keys is ended by
    /// them alone. A token that could still be used says enough where no key is proven.
    func mayEnd(_ grant: Grant, byUsable isUsable: Bool) -> Bool {
        guard hasOwnKey(of: grant) else { return false }
        guard let key = grant.dpopKey else { return true }
        return proof.map { $0.thumbprint == key } ?? isUsable
    }

    /// Whether the request may use what is bound to that key.
    ///
    /// - Throws: `invalid_dpop_proof` if it has no proof, `invalid_grant` if it is another key's.
    func checkProof(of key: JWKThumbprint?) throws(OAuthError) {
        guard let key else { return }
        guard let proof else { throw ProofCheck.missing }
        guard proof.thumbprint == key else { throw ProofCheck.otherKey }
    }
}

/// An assertion and a proof that exactly one transaction spends: the one that the request makes
/// anyway or, for an assertion in a request that makes none, a separate one (docs/decisions/0034;
/// RFC 7523 §3). A proof of a request that is refused, or only asks, is known to this process
/// only.
final class PendingUses: Sendable {
    private let uses: Locked<[SpentOnce]>

    init(_ assertion: SpentOnce?) {
        uses = Locked(assertion.map { [$0] } ?? [])
    }

    fileprivate func add(_ use: SpentOnce) {
        uses.withLock { $0.append(use) }
    }

    /// All of it at the first call; then nothing.
    func take() -> [SpentOnce] {
        uses.withLock { uses in
            defer { uses = [] }
            return uses
        }
    }
}
