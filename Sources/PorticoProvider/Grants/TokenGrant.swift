import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A grant type at the token endpoint: only what is its own (RFC 6749 §4, RFC 8693 §2). The steps that
/// all share are in ``TokenEndpoint``, where none can forget one.
protocol TokenGrant: Sendable {
    /// The value of `grant_type`.
    static var type: String { get }

    /// Whether a request of that type is for this grant. One that is not goes to the next grant of the
    /// type; without any, the type is not served.
    func takes(_ form: FormParameters, in realm: LiveRealm) -> Bool

    /// Whether a client may use it.
    func admits(_ client: AuthenticatedClient, in realm: LiveRealm) -> Bool

    /// Reads what the request presents, judges it, has tokens issued for it, and spends it, in this
    /// order: what cannot be issued loses the client nothing.
    ///
    /// - Throws: ``OAuthError``; ``ReplayRefusal`` and ``SwapRefusal``, which are logged;
    ///   ``AuthenticatedClient/refusal(ofRepeated:)``.
    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject
}

extension TokenGrant {
    func takes(_ form: FormParameters, in realm: LiveRealm) -> Bool { true }

    /// A client has the grant types that it is registered for.
    func admits(_ client: AuthenticatedClient, in realm: LiveRealm) -> Bool {
        client.client.grantTypes.contains { $0.rawValue == Self.type }
    }
}

/// A request to the token endpoint whose client has authenticated and may use its grant type.
struct TokenRequest: Sendable {
    let form: FormParameters
    let proven: AuthenticatedClient
    let context: RealmContext

    var client: Client { proven.client }
    var realm: LiveRealm { context.realm }
    var moment: Moment { context.moment }

    /// `nil` where it asks for none.
    var scope: Scope? {
        get throws(OAuthError) {
            try form["scope"].map { text throws(OAuthError) in try Scope(text) }
        }
    }

    /// The hash of its `Idempotency-Key`, if any.
    var idempotencyKey: Hash256? {
        get throws(OAuthError) {
            try context.headers.idempotencyKey(
                or: OAuthError(
                    .invalidRequest,
                    "Idempotency-Key is not one text of 1 to 255 bytes."
                )
            )
        }
    }
}

extension Provider {
    /// The answer for a grant, bound to the key that the request proves (RFC 6749 §5.1, RFC 9449 §5).
    ///
    /// - Parameters:
    ///   - scope: Of these tokens; `nil`: the grant's.
    ///   - nonce: The authorization request's.
    ///   - notes: What is known of the request besides, for mappers.
    func issue(
        _ grant: Grant,
        to person: PersonWithRoles?,
        scope: Scope? = nil,
        nonce: String? = nil,
        notes: [String: String] = [:],
        for request: TokenRequest
    ) async throws -> JSONObject {
        try await TokenIssuer(ring: ring).issue(
            TokenSubject(
                realm: request.realm,
                client: request.client,
                grant: grant,
                person: person,
                scope: scope ?? grant.scope,
                dpopKey: request.proven.proof?.thumbprint,
                notes: notes
            ),
            nonce: nonce,
            generation: grant.refresh?.generation,
            at: request.moment
        ).json
    }
}
