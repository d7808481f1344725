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
        table.map { name, mappers, isShown in
            ClientScope(
                id: UniqueID(random: moment.random).text,
                realmID: realm.id,
                name: name,
                representation: [
                    "protocol": "openid-connect",
                    "attributes": [
                        "include.in.token.scope": .string("\(isShown)"),
                        "display.on.consent.screen": .string("\(isShown)"),
                    ],
                    "protocolMappers": .array(
                        mappers.map { .object($0.representation(moment)) }
                    ),
                ]
            )
        }
    }

    private struct Mapper {
        let name: String
        let kind: String
        var config: [String: String] = [:]
        var inIDToken = true

        func representation(_ moment: Moment) -> JSONObject {
            var config: JSONObject = [
                "access.token.claim": "true", "introspection.token.claim": "true",
            ]
            if inIDToken {
                config["id.token.claim"] = "true"
                config["userinfo.token.claim"] = "true"
            }
            for (key, value) in self.config.sorted(by: { $0.key < $1.key }) {
                config[key] = .string(value)
            }
            return [
                "id": .string(UniqueID(random: moment.random).text), "name": .string(name),
                "protocol": "openid-connect", "protocolMapper": .string(kind),
                "consentRequired": false, "config": .object(config),
            ]
        }
    }

    private static func attribute(_ name: String, _ claim: String, _ type: String = "String")
        -> Mapper
    {
        Mapper(
            name: claim,
            kind: "oidc-usermodel-attribute-mapper",
            config: ["user.attribute": name, "claim.name": claim, "jsonType.label": type]
        )
    }

    private static func roles(_ name: String, _ kind: String, _ claim: String) -> Mapper {
        Mapper(
            name: name,
            kind: kind,
            config: ["claim.name": claim, "jsonType.label": "String", "multivalued": "true"],
            inIDToken: false
        )
    }

    private static let table: [(name: String, mappers: [Mapper], isShown: Bool)] = [
        (
            "basic",
            [
                Mapper(name: "sub", kind: "oidc-sub-mapper", inIDToken: false),
                Mapper(
                    name: "auth_time",
                    kind: "oidc-usersessionmodel-note-mapper",
                    config: [
                        "user.session.note": "AUTH_TIME", "claim.name": "auth_time",
                        "jsonType.label": "long", "userinfo.token.claim": "false",
                    ]
                ),
            ],
            false
        ),
        (
            "profile",
            [
                Mapper(name: "full name", kind: "oidc-full-name-mapper"),
                attribute("username", "preferred_username"), attribute("firstName", "given_name"),
                attribute("lastName", "family_name"), attribute("middleName", "middle_name"),
                attribute("nickname", "nickname"), attribute("profile", "profile"),
                attribute("picture", "picture"), attribute("website", "website"),
                attribute("gender", "gender"), attribute("birthdate", "birthdate"),
                attribute("zoneinfo", "zoneinfo"), attribute("locale", "locale"),
                attribute("updatedAt", "updated_at", "long"),
            ],
            true
        ),
        (
            "email",
            [
                attribute("email", "email"),
                Mapper(
                    name: "email verified",
                    kind: "oidc-usermodel-property-mapper",
                    config: [
                        "user.attribute": "emailVerified", "claim.name": "email_verified",
                        "jsonType.label": "boolean",
                    ]
                ),
            ],
            true
        ),
        ("address", [Mapper(name: "address", kind: "oidc-address-mapper")], true),
        (
            "phone",
            [
                attribute("phoneNumber", "phone_number"),
                attribute("phoneNumberVerified", "phone_number_verified", "boolean"),
            ],
            true
        ),
        ("offline_access", [], true),
        (
            "roles",
            [
                roles("realm roles", "oidc-usermodel-realm-role-mapper", "realm_access.roles"),
                roles(
                    "client roles",
                    "oidc-usermodel-client-role-mapper",
                    "resource_access.${client_id}.roles"
                ),
                Mapper(
                    name: "audience resolve",
                    kind: "oidc-audience-resolve-mapper",
                    inIDToken: false
                ),
            ],
            false
        ),
        (
            "web-origins",
            [
                Mapper(
                    name: "allowed web origins",
                    kind: "oidc-allowed-origins-mapper",
                    inIDToken: false
                )
            ],
            false
        ),
        (
            "microprofile-jwt",
            [
                attribute("username", "upn"),
                Mapper(
                    name: "groups",
                    kind: "oidc-usermodel-realm-role-mapper",
                    config: [
                        "claim.name": "groups", "jsonType.label": "String", "multivalued": "true",
                    ]
                ),
            ],
            true
        ),
        ("acr", [Mapper(name: "acr loa level", kind: "oidc-acr-mapper")], false),
        // Of clients with an account of their own, and of no others.
        (
            "service_account",
            [note("Client ID", "client_id"), note("Client IP Address", "clientAddress")], false
        ),
    ]

    private static func note(_ name: String, _ note: String) -> Mapper {
        Mapper(
            name: name,
            kind: "oidc-usersessionmodel-note-mapper",
            config: ["user.session.note": note, "claim.name": note, "jsonType.label": "String"]
        )
    }
}
