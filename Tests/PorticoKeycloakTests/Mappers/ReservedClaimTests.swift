import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak
@testable import PorticoProvider

@Suite("Claims that no mapper of Keycloak's writes") struct ReservedClaimTests {
    static let reserved = [
        "iss", "sub", "exp", "iat", "nbf", "jti", "azp", "nonce", "acr", "amr", "auth_time",
        "at_hash", "c_hash", "s_hash", "sid", "session_state", "scope", "client_id", "typ", "cnf",
    ]

    @Test(
        "attack: no text or fixed value replaces what the server says of a token",
        arguments: reserved
    )
    func tokens(_ claim: String) throws {
        // Also where a letter is escaped.
        for path in [claim, claim + ".x", #"\"# + claim] {
            let kinds: [(String, [String: String])] = [
                ("oidc-usermodel-attribute-mapper", ["user.attribute": "team"]),
                ("oidc-usermodel-property-mapper", ["user.attribute": "username"]),
                ("oidc-usersessionmodel-note-mapper", ["user.session.note": "clientHost"]),
                ("oidc-usermodel-realm-role-mapper", ["multivalued": "true"]),
                ("oidc-usermodel-client-role-mapper", ["multivalued": "true"]),
                ("oidc-group-membership-mapper", [:]),
                ("oidc-claims-param-value-idtoken-mapper", [:]),
            ]
            for (kind, config) in kinds {
                let record = MapperSamples.record(
                    kind,
                    config.merging(["claim.name": path]) { $1 }
                )
                #expect(record.fault == .reservedClaim)
            }
            let fixed = MapperSamples.record(
                "oidc-hardcoded-claim-mapper",
                ["claim.name": path, "claim.value": "evil"],
                switches: MapperSamples.everywhere.filter { $0.key != "access.tokenResponse.claim" }
            )
            #expect(fixed.fault == .reservedClaim)
        }
    }

    @Test("attack: a text that a person chose is never among the roles that applications read")
    func rights() throws {
        for path in ["realm_access.roles", "resource_access.shop.roles", "realm_access"] {
            for kind in ["attribute", "property"] {
                let record = MapperSamples.record(
                    "oidc-usermodel-\(kind)-mapper",
                    ["claim.name": path, "user.attribute": "username", "multivalued": "true"]
                )
                #expect(record.fault == .reservedClaim)
            }
            let requested = MapperSamples.record(
                "oidc-claims-param-value-idtoken-mapper",
                ["claim.name": path]
            )
            #expect(requested.fault == .reservedClaim)
        }
    }

    @Test(
        "attack: a client named like a reserved claim gets no claim of that name",
        arguments: reserved
    )
    func clientNames(_ claim: String) throws {
        var input = MapperSamples.input
        input.roles.insert(RoleName(clientID: claim, name: "r"))
        let record = MapperSamples.record(
            "oidc-usermodel-client-role-mapper",
            ["claim.name": "${client_id}.roles", "multivalued": "true"]
        )
        let token = MapperSamples.token([record], input: input)
        #expect(token.claims[claim] == nil)
        #expect(token.claims["my.api"] != nil)
    }

    @Test(
        "RFC 6749 §5.1: no mapper replaces a member of the token response",
        arguments: [
            "access_token", "token_type", "expires_in", "refresh_token", "refresh_expires_in",
            "id_token", "scope", "session_state", "not-before-policy", "error", "device_secret",
        ]
    )
    func response(_ member: String) throws {
        let record = MapperSamples.record(
            "oidc-hardcoded-claim-mapper",
            ["claim.name": member, "claim.value": "evil"],
            switches: ["access.tokenResponse.claim": "true"]
        )
        #expect(record.fault == .reservedClaim)
        #expect(MapperSamples.token([record], for: .tokenResponse).claims.isEmpty)
    }

    @Test("RFC 7662 §2.2: no mapper says that a token is active; in UserInfo it is any name")
    func introspection() throws {
        for claim in ["active", "username", "token_type"] {
            let record = MapperSamples.record(
                "oidc-usermodel-attribute-mapper",
                ["claim.name": claim, "user.attribute": "team"]
            )
            #expect(MapperSamples.token([record], for: .introspection).claims.isEmpty)
            #expect(MapperSamples.token([record], for: .userInfo).claims == [claim: "blue"])
        }
    }

    @Test("A claim that is reserved in tokens may stand beside them, and the other way round")
    func otherTarget() throws {
        let azp = MapperSamples.record(
            "oidc-hardcoded-claim-mapper",
            ["claim.name": "azp", "claim.value": "v"]
        )
        #expect(azp.targets == [.tokenResponse])
        let error = MapperSamples.record(
            "oidc-hardcoded-claim-mapper",
            ["claim.name": "error", "claim.value": "v"]
        )
        #expect(error.targets == ClaimMapper.Targets.tokens)
    }

    @Test("auth_time and client_id come from what the server knows of the session only")
    func notes() throws {
        for (note, claim) in [("clientHost", "auth_time"), ("AUTH_TIME", "client_id")] {
            let record = MapperSamples.record(
                "oidc-usersessionmodel-note-mapper",
                ["user.session.note": note, "claim.name": claim]
            )
            #expect(record.fault == .reservedClaim)
        }
    }
}
