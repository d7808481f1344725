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
    package var targets: Targets
    /// The mapper in the words of the product that its file came from.
    package var kept: KeptRepresentation?

    package init(
        id: String,
        name: String,
        kind: Kind,
        claim: ClaimPath? = nil,
        type: ClaimType = .text,
        isMultivalued: Bool = false,
        targets: Targets,
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
        /// `address`: the person's attribute for each member (OpenID Connect Core §5.1.1).
        case address([String: String])
        /// The groups that the person is in.
        case groups(withPath: Bool)
        /// One more audience of the token.
        case audience(String)
        case fixedClaim(JSONValue)
        /// A role that everybody has in the token.
        case fixedRole(RoleName)
        case renamedRole(RoleName, to: RoleName)
        /// A fact about the session, such as `AUTH_TIME`.
        case note(String)
        /// `sub`, another one for each sector (OpenID Connect Core §8.1).
        case pairwise(PairwiseSubject)
        case plain(PlainKind)
    }

    /// The kinds that say everything by their name, which is how they are kept.
    package enum PlainKind: String, CaseIterable, Hashable, Sendable {
        /// The person's roles in one list: the realm's by their names, a client's as `CLIENT:ROLE`.
        case roleList = "role_list"
        /// `name`: given and family name.
        case fullName = "full_name"
        /// The other clients of which the person has a role, as audiences.
        case audienceResolve = "audience_resolve"
        /// `allowed-origins`: the client's web origins.
        case allowedOrigins = "allowed_origins"
        case acr
        case amr
        case sub
        /// `session_state`
        case sessionState = "session_state"
        case nonce
        /// The essential claims of the parameter `claims` (OpenID Connect Core §5.5).
        case claimsParameter = "claims_parameter"
        /// The value that the parameter `claims` gives.
        case claimsParameterValue = "claims_parameter_value"
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

        fileprivate var bit: UInt8 {
            switch self {
            case .accessToken: 1
            case .lightweightAccessToken: 2
            case .idToken: 4
            case .userInfo: 8
            case .introspection: 16
            case .tokenResponse: 32
            }
        }
    }

    /// A set of targets. It is a few bits, because each token asks every mapper of its client.
    package struct Targets: Hashable, Sendable, ExpressibleByArrayLiteral {
        private var bits: UInt8

        private init(bits: UInt8) { self.bits = bits }

        package init(_ targets: some Sequence<Target>) {
            bits = targets.reduce(0) { $0 | $1.bit }
        }

        package init(arrayLiteral targets: Target...) { self.init(targets) }

        package static let tokens: Targets = [
            .accessToken, .lightweightAccessToken, .idToken, .userInfo, .introspection,
        ]
        package static let all = Targets(Target.allCases)
        fileprivate static let notUserInfo = tokens.subtracting([.userInfo])
        /// Where a claim goes if nothing else is said.
        package static let usual: Targets = [.accessToken, .idToken, .userInfo, .introspection]

        package var isEmpty: Bool { bits == 0 }

        package func contains(_ target: Target) -> Bool { bits & target.bit != 0 }

        package func filter(_ isKept: (Target) -> Bool) -> Targets {
            Targets(Target.allCases.filter { contains($0) && isKept($0) })
        }

        package func intersection(_ other: Targets) -> Targets { Targets(bits: bits & other.bits) }

        package func subtracting(_ other: Targets) -> Targets { Targets(bits: bits & ~other.bits) }
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

extension ClaimMapper {
    /// What must be known of every kind, besides what it writes.
    package struct Traits: Sendable {
        package let place: Place
        /// Whether the value is a text that the person, or the sender of the request, may have chosen.
        package let isChosenByPerson: Bool
        /// The targets that it may have.
        package let targets: Targets

        fileprivate init(
            _ place: Place,
            isChosenByPerson: Bool,
            in targets: Targets = .tokens
        ) {
            self.place = place
            self.isChosenByPerson = isChosenByPerson
            self.targets = targets
        }
    }

    /// Where a kind writes.
    package enum Place: Hashable, Sendable {
        /// At the claim that the mapper names.
        case named
        /// At these claims, and no others.
        case own([String])
        /// It changes the roles that other mappers write.
        case roles
        /// At no claim but `sub` and `aud`.
        case none
    }
}

extension ClaimMapper.Kind {
    package var traits: ClaimMapper.Traits {
        switch self {
        case .attribute, .property, .note: Traits(.named, isChosenByPerson: true)
        case .realmRoles, .clientRoles, .groups: Traits(.named, isChosenByPerson: false)
        case .fixedClaim:
            Traits(.named, isChosenByPerson: false, in: .all)
        case .address: Traits(.own(["address"]), isChosenByPerson: true)
        case .audience:
            Traits(.none, isChosenByPerson: false, in: .notUserInfo)
        case .fixedRole, .renamedRole: Traits(.roles, isChosenByPerson: false)
        case .pairwise: Traits(.none, isChosenByPerson: false)
        case .plain(let kind): kind.traits
        }
    }

    private typealias Traits = ClaimMapper.Traits
}

extension ClaimMapper.PlainKind {
    /// A row for each of them.
    fileprivate var traits: ClaimMapper.Traits {
        switch self {
        case .roleList: Traits(.named, isChosenByPerson: false)
        case .fullName: Traits(.own(["name"]), isChosenByPerson: true)
        case .audienceResolve: Traits(.none, isChosenByPerson: false, in: Self.access)
        case .allowedOrigins:
            Traits(.own(["allowed-origins"]), isChosenByPerson: false, in: Self.access)
        case .acr:
            Traits(.own(["acr"]), isChosenByPerson: false, in: .notUserInfo)
        case .amr:
            Traits(
                .own(["amr"]),
                isChosenByPerson: false,
                in: Self.frontal
            )
        case .sub: Traits(.none, isChosenByPerson: false, in: Self.access)
        case .sessionState: Traits(.own(["session_state"]), isChosenByPerson: false)
        case .nonce: Traits(.own(["nonce"]), isChosenByPerson: true, in: Self.access)
        case .claimsParameter:
            Traits(
                .own(["name", "given_name", "family_name", "preferred_username", "email"]),
                isChosenByPerson: true,
                in: Self.asked
            )
        case .claimsParameterValue: Traits(.named, isChosenByPerson: true, in: Self.inIDToken)
        case .unknown: Traits(.none, isChosenByPerson: false, in: [])
        }
    }

    private typealias Traits = ClaimMapper.Traits

    private static let frontal: ClaimMapper.Targets = [
        .accessToken, .lightweightAccessToken, .idToken,
    ]
    private static let asked: ClaimMapper.Targets = [.idToken, .userInfo]
    private static let inIDToken: ClaimMapper.Targets = [.idToken]
    private static let access: ClaimMapper.Targets = [
        .accessToken, .lightweightAccessToken, .introspection,
    ]
}
