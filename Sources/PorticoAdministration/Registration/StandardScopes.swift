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
        templates.map { template in
            var scope = ClientScope(
                id: UniqueID(random: random).text,
                realmID: realmID,
                name: template.name
            )
            scope.mappers = template.mappers.map { mapper in
                var mapper = mapper
                mapper.id = UniqueID(random: random).text
                return mapper
            }
            return scope
        }
    }

    /// One of them, for a realm that does not have it.
    package static func scope(named name: String, ofRealm realmID: String, random: RandomSource)
        -> ClientScope?
    {
        scopes(ofRealm: realmID, random: random).first { sameBytes($0.name, name) }
    }

    private static let templates: [(name: String, mappers: [ClaimMapper])] = [
        (StandardClaims.profile, profile),
        (
            StandardClaims.email,
            [property("email", "email"), property("email_verified", "emailVerified", .boolean)]
        ),
        ("address", [mapper("address", .address(address), of: person)]),
        (
            "phone",
            [attribute("phone_number"), attribute("phone_number_verified", .boolean)]
        ),
        ("offline_access", []),
        (deviceSSO, []),
        (
            roles,
            [
                mapper(
                    "realm_access",
                    .realmRoles(prefix: ""),
                    ClaimPath(names: ["realm_access", "roles"]),
                    isList: true
                ),
                mapper(
                    "resource_access",
                    .clientRoles(of: nil, prefix: ""),
                    ClaimPath(names: ["resource_access", "${client_id}", "roles"]),
                    isList: true
                ),
            ]
        ),
        (groups, [mapper(groups, .roleList, ClaimPath(names: [groups]), isList: true)]),
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

    /// OpenID Connect Core §5.1.1.
    private static let address = [
        "formatted": "formatted", "street_address": "street", "locality": "locality",
        "region": "region", "postal_code": "postal_code", "country": "country",
    ]

    /// Not in access tokens: APIs ask UserInfo or introspection, and tokens stay short.
    private static let person: Set<ClaimMapper.Target> = [.idToken, .userInfo]

    private static func property(_ claim: String, _ name: String, _ type: ClaimType = .text)
        -> ClaimMapper
    {
        mapper(claim, .property(name), ClaimPath(names: [claim]), type, of: person)
    }

    private static func attribute(_ claim: String, _ type: ClaimType = .text) -> ClaimMapper {
        let kind = ClaimMapper.Kind.attribute(claim, aggregates: false)
        return mapper(claim, kind, ClaimPath(names: [claim]), type, of: person)
    }

    private static func mapper(
        _ name: String,
        _ kind: ClaimMapper.Kind,
        _ claim: ClaimPath? = nil,
        _ type: ClaimType = .text,
        isList: Bool = false,
        of targets: Set<ClaimMapper.Target> = ClaimMapper.Target.usual
    ) -> ClaimMapper {
        ClaimMapper(
            id: "",
            name: name,
            kind: kind,
            claim: claim,
            type: type,
            isMultivalued: isList,
            targets: targets
        )
    }
}
