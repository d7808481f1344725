import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The client scopes that every Keycloak realm has, for files that have none: Keycloak makes them
/// then, too.
enum BuiltInScopes {
    static let defaults = ["basic", "profile", "email", "roles", "web-origins", "acr"]
    /// All that a realm there has of itself.
    static let keycloaks = Set(
        defaults + optionals
            + [
                "service_account", "organization", "role_list", "saml_organization",
                "AuthnContextClassRef",
            ]
    )
    static let optionals = ["address", "phone", "offline_access", "microprofile-jwt"]

    static func scopes(of realm: Realm, _ moment: Moment) -> [ClientScope] {
        table.map { name, mappers, isShown in
            var scope = ClientScope(
                id: UniqueID(random: moment.random).text,
                realmID: realm.id,
                name: name
            )
            scope.mappers = mappers.map { mapper in
                var mapper = mapper
                mapper.id = UniqueID(random: moment.random).text
                return mapper
            }
            (scope.isShown, scope.isAskedFor) = (isShown, isShown)
            return scope
        }
    }

    private static let access: Set<ClaimMapper.Target> = [.accessToken, .introspection]

    private static func mapper(
        _ name: String,
        _ kind: ClaimMapper.Kind,
        claim: String? = nil,
        _ type: ClaimType = .text,
        isMultivalued: Bool = false,
        into targets: Set<ClaimMapper.Target> = ClaimMapper.Target.usual
    ) -> ClaimMapper {
        ClaimMapper(
            id: "",
            name: name,
            kind: kind,
            claim: claim.flatMap { ClaimPath($0) },
            type: type,
            isMultivalued: isMultivalued,
            targets: targets.intersection(kind.possibleTargets)
        )
    }

    private static func attribute(_ name: String, _ claim: String, _ type: ClaimType = .text)
        -> ClaimMapper
    {
        mapper(claim, .attribute(name, aggregates: false), claim: claim, type)
    }

    private static func note(_ name: String, _ note: String) -> ClaimMapper {
        // The id of a client is not for UserInfo.
        let targets = ClaimMapper.Target.usual.filter {
            !ReservedClaims.contain(note, in: $0, writtenBy: .note(note))
        }
        return mapper(name, .note(note), claim: note, into: targets)
    }

    private static let table: [(name: String, mappers: [ClaimMapper], isShown: Bool)] = [
        (
            "basic",
            [
                mapper("sub", .sub, into: access),
                mapper(
                    "auth_time",
                    .note("AUTH_TIME"),
                    claim: "auth_time",
                    .int64,
                    into: [.accessToken, .idToken, .introspection]
                ),
            ],
            false
        ),
        (
            "profile",
            [
                mapper("full name", .fullName), attribute("username", "preferred_username"),
                attribute("firstName", "given_name"), attribute("lastName", "family_name"),
                attribute("middleName", "middle_name"), attribute("nickname", "nickname"),
                attribute("profile", "profile"), attribute("picture", "picture"),
                attribute("website", "website"), attribute("gender", "gender"),
                attribute("birthdate", "birthdate"), attribute("zoneinfo", "zoneinfo"),
                attribute("locale", "locale"), attribute("updatedAt", "updated_at", .int64),
            ],
            true
        ),
        (
            "email",
            [
                attribute("email", "email"),
                mapper(
                    "email verified",
                    .property("emailVerified"),
                    claim: "email_verified",
                    .boolean
                ),
            ],
            true
        ),
        ("address", [mapper("address", .address(ClaimMapper.Kind.usualAddress))], true),
        (
            "phone",
            [
                attribute("phoneNumber", "phone_number"),
                attribute("phoneNumberVerified", "phone_number_verified", .boolean),
            ],
            true
        ),
        ("offline_access", [], true),
        (
            "roles",
            [
                mapper(
                    "realm roles",
                    .realmRoles(prefix: ""),
                    claim: "realm_access.roles",
                    isMultivalued: true,
                    into: access
                ),
                mapper(
                    "client roles",
                    .clientRoles(of: nil, prefix: ""),
                    claim: "resource_access.${client_id}.roles",
                    isMultivalued: true,
                    into: access
                ),
                mapper("audience resolve", .audienceResolve, into: access),
            ],
            false
        ),
        ("web-origins", [mapper("allowed web origins", .allowedOrigins, into: access)], false),
        (
            "microprofile-jwt",
            [
                attribute("username", "upn"),
                mapper(
                    "groups",
                    .realmRoles(prefix: ""),
                    claim: "groups",
                    isMultivalued: true
                ),
            ],
            true
        ),
        ("acr", [mapper("acr loa level", .acr)], false),
        // Of clients with an account of their own, and of no others.
        (
            "service_account",
            [note("Client ID", "client_id"), note("Client IP Address", "clientAddress")], false
        ),
    ]
}
