import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
package import PorticoStores
import PorticoWeb

/// Who sends an access token of a realm to the realm's administration.
package struct Bearer: Sendable {
    package let realm: LiveRealm
    package let client: Client
    /// The clients that the sign-in was handed on by, the last one first.
    package let sources: [Client]
    /// A person, or the account that a client has for itself.
    package let person: Person
    /// The roles that the person has now, with all that they contain, as far as the token says so and
    /// its client sees them. A client's own account, and who uses the realm's own clients for
    /// administration, has what they have now.
    package let roles: Set<RoleName>
}

/// Finds who sends an access token (RFC 6750 §2.1).
package struct BearerReader: Sendable {
    private let grants: GrantStore
    private let verifier: AccessTokenVerifier

    package init(grants: GrantStore) {
        self.grants = grants
        verifier = AccessTokenVerifier(grants: grants)
    }

    /// - Parameter proof: What came with the token.
    /// - Returns: `nil` if the realm did not sign the token, its grant is not live, it belongs to
    ///   no one, or it is bound to another key.
    package func callAsFunction(
        _ token: String,
        with proof: DPoPProof?,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> Bearer? {
        guard let live = try await verifier.live(token, with: proof, in: realm, at: moment),
            let person = live.reading.person, person.person.isEnabled
        else { return nil }
        let behind = try await grants.clients(behind: live.reading.grant.id)
        var clients: [Client] = []
        for id in behind {
            if let client = try await realm.client(uuid: id) { clients.append(client) }
        }
        guard clients.count == behind.count, let client = clients.first else { return nil }
        return Bearer(
            realm: realm,
            client: client,
            sources: Array(clients.dropFirst()),
            person: person.person,
            roles: try await Self.roles(of: person, by: live, in: realm)
        )
    }

    private static func roles(
        of person: PersonWithRoles,
        by live: LiveAccessToken,
        in realm: LiveRealm
    ) async throws -> Set<RoleName> {
        let all = realm.graph.roles(of: person)
        if person.person.serviceClientID != nil { return try await live.seen(of: all, in: realm) }
        guard live.client.isConsole else {
            return try await live.said(of: all, in: realm)
        }
        return live.client.tokenForm == .standard ? try await live.seen(of: all, in: realm) : all
    }

    /// Whether the realm signed the token and its time is not over. Nothing is read for it.
    package func isSigned(_ token: String, by realm: LiveRealm, at moment: Moment) -> Bool {
        guard let (claims, _) = verifier.signed(token, by: realm, at: moment),
            let end = claims.int64("exp")
        else { return false }
        return moment.seconds < end
    }
}

/// An access token in the `Authorization` header (RFC 6750 §2.1, RFC 9449 §7.1).
struct PresentedToken: Sendable {
    enum Scheme: String, CaseIterable, Sendable {
        case bearer
        case dpop
    }

    let scheme: Scheme
    let text: String

    static let malformed = OAuthError(
        .invalidRequest,
        "The Authorization header is not one access token of a scheme that is taken here."
    )

    /// The scheme in any case, one or more spaces, `b64token` (RFC 6750 §2.1).
    ///
    /// - Parameter values: Of all `Authorization` fields.
    /// - Returns: `nil` without any.
    init?(_ values: [String]) throws(OAuthError) {
        guard let value = values.first else { return nil }
        guard values.count == 1, let field = AuthorizationField(value),
            let scheme = Scheme(wire: field.scheme),
            field.credentials.utf8.count <= JWS.standardLimit,
            field.credentials.utf8.allSatisfy(Self.isTokenCharacter)
        else { throw Self.malformed }
        self.scheme = scheme
        text = String(field.credentials)
    }

    /// One that did not come in the header (RFC 6750 §2.2).
    init(bearer text: String) {
        scheme = .bearer
        self.text = text
    }

    /// `b64token` (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "+/=".utf8.contains(byte)
    }
}
