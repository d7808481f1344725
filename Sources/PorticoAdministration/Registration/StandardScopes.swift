package import PorticoBytes
package import PorticoStores

/// The client scopes that a new realm has, with what they put into tokens and answers (OpenID Connect Core
/// §5.4). From then on they are the realm's: an administrator may change them.
package enum StandardScopes {
    /// The scope tokens that request roles: `realm_access` and `resource_access`, or one flat list.
    package static let roles = "roles"
    package static let groups = "groups"
    /// Asks for a device secret (OpenID Connect Native SSO 1.0 §3.1).
    package static let deviceSSO = "device_sso"

    /// Those that a new client gets, unless it is made with others.
    package static let defaults = [roles]
    /// Those that it may ask for.
    package static let optionals = ["profile", "email", "address", "phone", "offline_access"]

    package static func scopes(ofRealm realmID: String, random: RandomSource) -> [ClientScope] {
        templates.map { $0.scope(ofRealm: realmID, random: random) }
    }

    /// One of them, for a realm that does not have it.
    package static func scope(named name: String, ofRealm realmID: String, random: RandomSource)
        -> ClientScope?
    {
        scopes(ofRealm: realmID, random: random).first { sameBytes($0.name, name) }
    }

    private static let templates: [ScopeTemplate] = [
        ScopeTemplate(StandardClaims.profile, profile),
        ScopeTemplate(
            StandardClaims.email,
            [property("email", "email"), property("email_verified", "emailVerified", .boolean)]
        ),
        ScopeTemplate(
            "address",
            [ClaimMapper(.address(ClaimMapper.Kind.usualAddress), named: "address", into: person)]
        ),
        ScopeTemplate(
            "phone",
            [attribute("phone_number"), attribute("phone_number_verified", .boolean)]
        ),
        ScopeTemplate("offline_access"),
        ScopeTemplate(deviceSSO),
        ScopeTemplate(
            roles,
            [
                ClaimMapper(
                    .realmRoles(prefix: ""),
                    named: "realm_access",
                    claim: ClaimPath(names: ["realm_access", "roles"])
                ),
                ClaimMapper(
                    .clientRoles(of: nil, prefix: ""),
                    named: "resource_access",
                    claim: ClaimPath(names: ["resource_access", "${client_id}", "roles"])
                ),
            ]
        ),
        ScopeTemplate(
            groups,
            [ClaimMapper(.plain(.roleList), named: groups, claim: ClaimPath(names: [groups]))]
        ),
    ]

    private static let profile: [ClaimMapper] =
        [
            property("name", "displayName"), property("given_name", "firstName"),
            property("family_name", "lastName"), property("preferred_username", "username"),
            property("updated_at", "updatedAt", .int64),
        ]
        + [
            "middle_name", "nickname", "profile", "picture", "website", "gender", "birthdate",
            "zoneinfo", "locale",
        ].map { attribute($0) }

    /// Not in access tokens: APIs ask UserInfo or introspection, and tokens stay short.
    private static let person: ClaimMapper.Targets = [.idToken, .userInfo]

    private static func property(_ claim: String, _ name: String, _ type: ClaimType = .text)
        -> ClaimMapper
    {
        let path = ClaimPath(names: [claim])
        return ClaimMapper(.property(name), named: claim, claim: path, type, into: person)
    }

    private static func attribute(_ claim: String, _ type: ClaimType = .text) -> ClaimMapper {
        let kind = ClaimMapper.Kind.attribute(claim, aggregates: false)
        let path = ClaimPath(names: [claim])
        return ClaimMapper(kind, named: claim, claim: path, type, into: person)
    }
}

/// A client scope that new realms get.
package struct ScopeTemplate: Sendable {
    package let name: String
    private let mappers: [ClaimMapper]
    /// Whether tokens and the consent page name it.
    private let isShown: Bool

    package init(_ name: String, _ mappers: [ClaimMapper] = [], isShown: Bool = true) {
        self.name = name
        self.mappers = mappers
        self.isShown = isShown
    }

    package func scope(ofRealm realmID: String, random: RandomSource) -> ClientScope {
        var scope = ClientScope(
            id: UniqueID(random: random).text,
            realmID: realmID,
            name: name
        )
        scope.mappers = mappers.map { mapper in
            var mapper = mapper
            mapper.id = UniqueID(random: random).text
            return mapper
        }
        (scope.isShown, scope.isAskedFor) = (isShown, isShown)
        return scope
    }
}

/// Mappers of templates. Each gets its id with its scope.
extension ClaimMapper {
    /// Roles are lists.
    package init(
        _ kind: Kind,
        named name: String,
        claim: ClaimPath? = nil,
        _ type: ClaimType = .text,
        into targets: Targets = .usual
    ) {
        let isList =
            switch kind {
            case .realmRoles, .clientRoles, .plain(.roleList): true
            default: false
            }
        self.init(
            id: "",
            name: name,
            kind: kind,
            claim: claim,
            type: type,
            isMultivalued: isList,
            targets: targets.intersection(kind.traits.targets)
        )
    }
}

extension ClaimMapper.Kind {
    /// The members of an address, with the usual names of the attributes that they are in (OpenID
    /// Connect Core §5.1.1).
    package static let usualAddress = [
        "formatted": "formatted", "street_address": "street", "locality": "locality",
        "region": "region", "postal_code": "postal_code", "country": "country",
    ]
}
