import PorticoAdministration
import PorticoBytes
import PorticoProtocol
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
        templates.map { $0.scope(ofRealm: realm.id, random: moment.random) }
    }

    private static let access: ClaimMapper.Targets = [.accessToken, .introspection]

    private static func attribute(_ name: String, _ claim: String, _ type: ClaimType = .text)
        -> ClaimMapper
    {
        let kind = ClaimMapper.Kind.attribute(name, aggregates: false)
        return ClaimMapper(kind, named: claim, claim: ClaimPath(claim), type)
    }

    private static func note(_ name: String, _ note: String) -> ClaimMapper {
        // The id of a client is not for UserInfo.
        let targets = ClaimMapper.Targets.usual.filter {
            !ReservedClaims.contain(note, in: $0, writtenBy: .note(note))
        }
        return ClaimMapper(.note(note), named: name, claim: ClaimPath(note), into: targets)
    }

    private static let templates: [ScopeTemplate] = [
        ScopeTemplate(
            "basic",
            [
                ClaimMapper(.plain(.sub), named: "sub", into: access),
                ClaimMapper(
                    .note("AUTH_TIME"),
                    named: "auth_time",
                    claim: ClaimPath("auth_time"),
                    .int64,
                    into: [.accessToken, .idToken, .introspection]
                ),
            ],
            isShown: false
        ),
        ScopeTemplate(
            "profile",
            [
                ClaimMapper(.plain(.fullName), named: "full name"),
                attribute("username", "preferred_username"),
                attribute("firstName", "given_name"), attribute("lastName", "family_name"),
                attribute("middleName", "middle_name"), attribute("nickname", "nickname"),
                attribute("profile", "profile"), attribute("picture", "picture"),
                attribute("website", "website"), attribute("gender", "gender"),
                attribute("birthdate", "birthdate"), attribute("zoneinfo", "zoneinfo"),
                attribute("locale", "locale"), attribute("updatedAt", "updated_at", .int64),
            ]
        ),
        ScopeTemplate(
            "email",
            [
                attribute("email", "email"),
                ClaimMapper(
                    .property("emailVerified"),
                    named: "email verified",
                    claim: ClaimPath("email_verified"),
                    .boolean
                ),
            ]
        ),
        ScopeTemplate(
            "address",
            [ClaimMapper(.address(ClaimMapper.Kind.usualAddress), named: "address")]
        ),
        ScopeTemplate(
            "phone",
            [
                attribute("phoneNumber", "phone_number"),
                attribute("phoneNumberVerified", "phone_number_verified", .boolean),
            ]
        ),
        ScopeTemplate("offline_access"),
        ScopeTemplate(
            "roles",
            [
                ClaimMapper(
                    .realmRoles(prefix: ""),
                    named: "realm roles",
                    claim: ClaimPath("realm_access.roles"),
                    into: access
                ),
                ClaimMapper(
                    .clientRoles(of: nil, prefix: ""),
                    named: "client roles",
                    claim: ClaimPath("resource_access.${client_id}.roles"),
                    into: access
                ),
                ClaimMapper(.plain(.audienceResolve), named: "audience resolve", into: access),
            ],
            isShown: false
        ),
        ScopeTemplate(
            "web-origins",
            [ClaimMapper(.plain(.allowedOrigins), named: "allowed web origins", into: access)],
            isShown: false
        ),
        ScopeTemplate(
            "microprofile-jwt",
            [
                attribute("username", "upn"),
                ClaimMapper(
                    .realmRoles(prefix: ""),
                    named: "groups",
                    claim: ClaimPath("groups")
                ),
            ]
        ),
        ScopeTemplate("acr", [ClaimMapper(.plain(.acr), named: "acr loa level")], isShown: false),
        // Of clients with an account of their own, and of no others.
        ScopeTemplate(
            "service_account",
            [note("Client ID", "client_id"), note("Client IP Address", "clientAddress")],
            isShown: false
        ),
    ]
}
