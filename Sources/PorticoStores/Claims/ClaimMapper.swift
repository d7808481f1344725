package import PorticoProtocol

/// A rule that puts a claim into tokens and answers, as data: what PorticoProvider's `MappedToken` does with it
/// stands there. Realms, client scopes and clients have them.
package struct ClaimMapper: Hashable, Sendable {
    /// Unique in the realm.
    package var id: String
    package var name: String
    package var kind: Kind
    /// `nil` where the kind names its claim itself, or writes none.
    package var claim: ClaimPath?
    package var type: ClaimType
    /// Whether the claim is an array of all values, and not the first.
    package var isMultivalued: Bool
    /// Where the claim goes.
    package var targets: Set<Target>
    /// The mapper in the words of the product that its file came from.
    package var kept: KeptRepresentation?

    package init(
        id: String,
        name: String,
        kind: Kind,
        claim: ClaimPath? = nil,
        type: ClaimType = .text,
        isMultivalued: Bool = false,
        targets: Set<Target>,
        kept: KeptRepresentation? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.claim = claim
        self.type = type
        self.isMultivalued = isMultivalued
        self.targets = targets
        self.kept = kept
    }

    /// What a mapper writes.
    package enum Kind: Hashable, Sendable {
        /// An attribute of the person; of the groups that they are in if they have none, or
        /// besides.
        case attribute(String, aggregates: Bool)
        /// A property of the person, such as `username`.
        case property(String)
        /// The names of the person's realm roles.
        case realmRoles(prefix: String)
        /// The names of the person's roles of one client, or of every client.
        case clientRoles(of: String?, prefix: String)
        /// The person's roles in one list: the realm's by their names, a client's as `CLIENT:ROLE`.
        case roleList
        /// `name`: given and family name.
        case fullName
        /// `address`: the person's attribute for each member (OpenID Connect Core §5.1.1).
        case address([String: String])
        /// The groups that the person is in.
        case groups(withPath: Bool)
        /// One more audience of the token.
        case audience(String)
        /// The other clients of which the person has a role, as audiences.
        case audienceResolve
        case fixedClaim(JSONValue)
        /// A role that everybody has in the token.
        case fixedRole(RoleName)
        case renamedRole(RoleName, to: RoleName)
        /// A fact about the session, such as `AUTH_TIME`.
        case note(String)
        /// `allowed-origins`: the client's web origins.
        case allowedOrigins
        case acr
        case amr
        case sub
        /// `sub`, another one for each sector (OpenID Connect Core §8.1).
        case pairwise(PairwiseSubject)
        /// `session_state`
        case sessionState
        case nonce
        /// The essential claims of the parameter `claims` (OpenID Connect Core §5.5).
        case claimsParameter
        /// The value that the parameter `claims` gives.
        case claimsParameterValue
        /// Nothing: the product that the mapper came from has a kind that is not known here.
        case unknown
    }

    package enum Target: String, CaseIterable, Hashable, Sendable {
        case accessToken = "access_token"
        /// The access token of a client that gets one with only the claims it needs
        /// (``Client/TokenForm/lightweight``).
        case lightweightAccessToken = "lightweight_access_token"
        case idToken = "id_token"
        case userInfo = "userinfo"
        case introspection
        /// Beside the tokens (RFC 6749 §5.1).
        case tokenResponse = "token_response"

        package static let tokens: Set<Target> = [
            .accessToken, .lightweightAccessToken, .idToken, .userInfo, .introspection,
        ]
        /// Where a claim goes if nothing else is said.
        package static let usual: Set<Target> = [
            .accessToken, .idToken, .userInfo, .introspection,
        ]
    }
}

/// A `sub` that differs from sector to sector (OpenID Connect Core §8.1).
package struct PairwiseSubject: Hashable, Sendable {
    package let salt: String
    /// The sector that the mapper names; `nil` for the client's own.
    package let sector: String?

    package init(salt: String, sector: String?) {
        self.salt = salt
        self.sector = sector
    }
}

extension ClaimMapper.Kind {
    /// The targets that the kind may have.
    package var possibleTargets: Set<ClaimMapper.Target> {
        switch self {
        case .fixedClaim: ClaimMapper.Target.tokens.union([.tokenResponse])
        case .audience, .acr: ClaimMapper.Target.tokens.subtracting([.userInfo])
        case .amr: [.accessToken, .lightweightAccessToken, .idToken]
        case .sub, .audienceResolve, .allowedOrigins, .nonce:
            [.accessToken, .lightweightAccessToken, .introspection]
        case .claimsParameter: [.idToken, .userInfo]
        case .claimsParameterValue: [.idToken]
        case .unknown: []
        default: ClaimMapper.Target.tokens
        }
    }
}
