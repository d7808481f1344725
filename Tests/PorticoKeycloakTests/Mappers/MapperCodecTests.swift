import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak
@testable import PorticoProvider

/// A mapper with all switches on, what it writes, and where.
struct MapperCase: Sendable, CustomTestStringConvertible {
    let kind: String
    let config: [String: String]
    let claims: String
    let targets: ClaimMapper.Targets

    init(
        _ kind: String,
        _ config: [String: String],
        _ claims: String,
        in targets: ClaimMapper.Targets = ClaimMapper.Targets.tokens
    ) {
        self.kind = kind
        self.config = config
        self.claims = claims
        self.targets = targets
    }

    var testDescription: String { "\(kind): \(claims)" }

    static func attribute(_ name: String, _ more: [String: String], _ claims: String) -> MapperCase
    {
        MapperCase(
            "oidc-usermodel-attribute-mapper",
            ["user.attribute": name, "claim.name": "c"].merging(more) { $1 },
            claims
        )
    }

    static let access: ClaimMapper.Targets = [
        .accessToken, .lightweightAccessToken, .introspection,
    ]

    static let all = attributes + people + roles + sessions

    static let attributes: [MapperCase] = [
        .attribute("team", [:], #"{"c":"blue"}"#),
        .attribute("team", ["claim.name": "a.b"], #"{"a":{"b":"blue"}}"#),
        .attribute("team", ["claim.name": #"urn:a\.b/c"#], #"{"urn:a.b/c":"blue"}"#),
        .attribute("colours", [:], #"{"c":"red"}"#),
        .attribute("colours", ["multivalued": "true"], #"{"c":["red","green"]}"#),
        .attribute(
            "colours",
            ["multivalued": "true", "aggregate.attrs": "true"],
            #"{"c":["red","green","blue"]}"#
        ),
        .attribute("floor", ["multivalued": "true"], #"{"c":["2"]}"#),
        .attribute(
            "floor",
            ["multivalued": "true", "aggregate.attrs": "true"],
            #"{"c":["2","0"]}"#
        ),
        .attribute("number", ["jsonType.label": "int"], #"{"c":4711}"#),
        .attribute("number", ["jsonType.label": "long"], #"{"c":4711}"#),
        .attribute("number", ["jsonType.label": "String"], #"{"c":"4711"}"#),
        .attribute("flag", ["jsonType.label": "boolean"], #"{"c":true}"#),
        .attribute("team", ["jsonType.label": "boolean"], #"{"c":false}"#),
        .attribute("settings", ["jsonType.label": "JSON"], #"{"c":{"size":[1,null]}}"#),
        // What cannot be turned into the type is left out.
        .attribute("broken", ["jsonType.label": "JSON"], "{}"),
        .attribute("team", ["jsonType.label": "int"], "{}"),
        .attribute("team", ["jsonType.label": "long"], "{}"),
        .attribute("empty", [:], "{}"),
        .attribute("missing", ["multivalued": "true"], "{}"),
    ]

    static let people: [MapperCase] = [
        .attribute("username", [:], #"{"c":"mara"}"#),
        .attribute("firstName", [:], #"{"c":"Mara"}"#),
        .attribute("lastName", [:], #"{"c":"Muster"}"#),
        .attribute("email", [:], #"{"c":"mara@example.com"}"#),
        .attribute("emailVerified", ["jsonType.label": "boolean"], #"{"c":true}"#),
        MapperCase(
            "oidc-usermodel-property-mapper",
            ["user.attribute": "emailVerified", "claim.name": "c", "jsonType.label": "boolean"],
            #"{"c":true}"#
        ),
        MapperCase(
            "oidc-usermodel-property-mapper",
            ["user.attribute": "createdTimestamp", "claim.name": "c", "jsonType.label": "long"],
            #"{"c":1700000000000}"#
        ),
        // Attributes are no properties.
        MapperCase(
            "oidc-usermodel-property-mapper",
            ["user.attribute": "team", "claim.name": "c"],
            "{}"
        ),
        MapperCase("oidc-full-name-mapper", [:], #"{"name":"Mara Muster"}"#),
        MapperCase(
            "oidc-address-mapper",
            ["user.attribute.postal_code": "zip"],
            #"{"address":{"street_address":"Way 1","postal_code":"10115"}}"#
        ),
        MapperCase(
            "oidc-group-membership-mapper",
            ["claim.name": "groups", "full.path": "true"],
            #"{"groups":["/staff/north","/guests"]}"#
        ),
        MapperCase(
            "oidc-group-membership-mapper",
            ["claim.name": "groups", "full.path": "false"],
            #"{"groups":["north","guests"]}"#
        ),
        MapperCase(
            "oidc-claims-param-token-mapper",
            [:],
            "{}",
            in: [.idToken, .userInfo]
        ),
    ]

    static let roles: [MapperCase] = [
        MapperCase(
            "oidc-usermodel-realm-role-mapper",
            ["claim.name": "realm_access.roles", "multivalued": "true", "user.attribute": "foo"],
            #"{"realm_access":{"roles":["reader","writer"]}}"#
        ),
        MapperCase(
            "oidc-usermodel-realm-role-mapper",
            [
                "claim.name": "r", "multivalued": "true",
                "usermodel.realmRoleMapping.rolePrefix": "r:",
            ],
            #"{"r":["r:reader","r:writer"]}"#
        ),
        MapperCase(
            "oidc-usermodel-realm-role-mapper",
            ["claim.name": "r"],
            #"{"r":"reader"}"#
        ),
        MapperCase(
            "oidc-usermodel-client-role-mapper",
            ["claim.name": "resource_access.${client_id}.roles", "multivalued": "true"],
            #"{"resource_access":{"my.api":{"roles":["read","write"]},"shop":{"roles":["clerk"]}}}"#
        ),
        MapperCase(
            "oidc-usermodel-client-role-mapper",
            [
                "claim.name": "roles", "multivalued": "true",
                "usermodel.clientRoleMapping.clientId": "my.api",
            ],
            #"{"roles":["read","write"]}"#
        ),
        MapperCase(
            "oidc-usermodel-client-role-mapper",
            [
                "claim.name": "flat", "multivalued": "true",
                "usermodel.clientRoleMapping.rolePrefix": "${client_id}/",
            ],
            #"{"flat":["my.api/read","my.api/write","shop/clerk"]}"#
        ),
        MapperCase(
            "oidc-usermodel-client-role-mapper",
            [
                "claim.name": "roles", "multivalued": "true",
                "usermodel.clientRoleMapping.clientId": "unknown",
            ],
            "{}"
        ),
    ]

    static let sessions: [MapperCase] = [
        MapperCase(
            "oidc-hardcoded-claim-mapper",
            ["claim.name": "c", "claim.value": "42", "jsonType.label": "int"],
            #"{"c":42}"#,
            in: .all
        ),
        MapperCase(
            "oidc-hardcoded-claim-mapper",
            ["claim.name": "a.b", "claim.value": #"{"x":[true]}"#, "jsonType.label": "JSON"],
            #"{"a":{"b":{"x":[true]}}}"#,
            in: .all
        ),
        MapperCase(
            "oidc-usersessionmodel-note-mapper",
            ["user.session.note": "clientHost", "claim.name": "host"],
            #"{"host":"10.0.0.1"}"#
        ),
        MapperCase(
            "oidc-usersessionmodel-note-mapper",
            [
                "user.session.note": "AUTH_TIME", "claim.name": "auth_time",
                "jsonType.label": "long",
            ],
            #"{"auth_time":1700000100}"#,
            in: ClaimMapper.Targets.tokens.subtracting([.userInfo])
        ),
        MapperCase(
            "oidc-usersessionmodel-note-mapper",
            ["user.session.note": "client_id", "claim.name": "client_id"],
            #"{"client_id":"shop"}"#,
            in: ClaimMapper.Targets.tokens.subtracting([.userInfo])
        ),
        MapperCase(
            "oidc-allowed-origins-mapper",
            [:],
            #"{"allowed-origins":["https://shop.example.com"]}"#,
            in: access
        ),
        MapperCase(
            "oidc-acr-mapper",
            [:],
            #"{"acr":"silver"}"#,
            in: ClaimMapper.Targets.tokens.subtracting([.userInfo])
        ),
        MapperCase(
            "oidc-amr-mapper",
            [:],
            #"{"amr":["pwd"]}"#,
            in: [.accessToken, .lightweightAccessToken, .idToken]
        ),
        MapperCase("oidc-session-state-mapper", [:], #"{"session_state":"sid-1"}"#),
        MapperCase(
            "oidc-nonce-backwards-compatible-mapper",
            [:],
            #"{"nonce":"n-1"}"#,
            in: access
        ),
    ]
}

@Suite("Keycloak's mappers") struct MapperCodecTests {
    @Test("Each kind writes its claim where Keycloak writes it", arguments: MapperCase.all)
    func kinds(_ row: MapperCase) throws {
        let record = MapperSamples.record(row.kind, row.config)
        #expect(record.fault == nil)
        // As it would be written, it is the same again.
        var written = record
        written.kept = nil
        var again = MapperSamples.read(written.representation)
        (again.kept, again.type) = (nil, record.type)
        #expect(again == written)
        for target in ClaimMapper.Target.allCases {
            let claims = MapperSamples.token([record], for: target).claims
            let expected = try JSONObject(row.targets.contains(target) ? row.claims : "{}")
            #expect(claims == expected, "\(target)")
        }
    }

    @Test(
        "Each switch is for its own token; two have one to follow where they are missing",
        arguments: [
            (["access.token.claim": "true"], [.accessToken, .introspection]),
            (["id.token.claim": "true"], [.idToken, .userInfo]),
            (["id.token.claim": "true", "userinfo.token.claim": "false"], [.idToken]),
            (["access.token.claim": "true", "introspection.token.claim": "false"], [.accessToken]),
            (["userinfo.token.claim": "true"], [.userInfo]),
            (["introspection.token.claim": "true"], [.introspection]),
            (["lightweight.claim": "true"], [.lightweightAccessToken]),
            (["access.tokenResponse.claim": "true"], [.tokenResponse]),
            (["access.token.claim": "TRUE", "id.token.claim": "1"], []),
            ([:], []),
        ] as [([String: String], ClaimMapper.Targets)]
    )
    func switches(_ switches: [String: String], _ targets: ClaimMapper.Targets) throws {
        let record = MapperSamples.record(
            "oidc-hardcoded-claim-mapper",
            ["claim.name": "c", "claim.value": "v"],
            switches: switches
        )
        #expect(record.targets == targets)
        for target in ClaimMapper.Target.allCases {
            let claims = MapperSamples.token([record], for: target).claims
            #expect(claims.isEmpty == !targets.contains(target))
        }
    }

    @Test("Audiences and origins are for access tokens where their switches are missing")
    func accessByDefault() throws {
        for kind in ["oidc-audience-resolve-mapper", "oidc-allowed-origins-mapper"] {
            let record = MapperSamples.record(kind, [:], switches: [:])
            #expect(record.targets == [.accessToken, .introspection])
            let off = MapperSamples.record(kind, [:], switches: ["access.token.claim": "false"])
            #expect(off.targets == [.introspection])
        }
    }

    @Test(
        "Scripts, unknown kinds and those without what they need are kept and write nothing",
        arguments: [
            ("script-evil.js", [:], .script),
            (
                "oidc-script-based-protocol-mapper", ["script": "1"],
                .script
            ),
            ("acme-mapper", [:], .unknownKind),
            (
                "oidc-organization-membership-mapper", [:],
                .unknownKind
            ),
            (String(repeating: "x", count: 201), [:], .unknownKind),
            ("oidc-usermodel-attribute-mapper", ["claim.name": "c"], .missing),
            (
                "oidc-usermodel-attribute-mapper", ["user.attribute": "a", "claim.name": ""],
                .missing
            ),
            ("oidc-usersessionmodel-note-mapper", [:], .missing),
            ("oidc-audience-mapper", [:], .missing),
            ("oidc-hardcoded-role-mapper", [:], .missing),
            ("oidc-role-name-mapper", ["role": "a"], .missing),
            ("oidc-sha256-pairwise-sub-mapper", [:], .missing),
            (
                "oidc-hardcoded-claim-mapper",
                ["claim.name": "c", "claim.value": "x", "jsonType.label": "int"], .badValue
            ),
            (
                "oidc-hardcoded-claim-mapper",
                ["claim.name": "c", "claim.value": "{", "jsonType.label": "JSON"], .badValue
            ),
            (
                "oidc-hardcoded-claim-mapper",
                ["claim.name": "c", "claim.value": String(repeating: "x", count: 16_385)], .tooLarge
            ),
            (
                "oidc-full-name-mapper", ["note": String(repeating: "x", count: 2_049)], .tooLarge
            ),
        ] as [(String, [String: String], MapperFault)]
    )
    func refused(_ kind: String, _ config: [String: String], _ fault: MapperFault) {
        let record = MapperSamples.record(kind, config)
        #expect(record.fault == fault)
        #expect(record.kind == .plain(.unknown) && record.kept != nil)
        #expect(record.whyNotEvaluated == "\(fault.words)")
        for target in ClaimMapper.Target.allCases {
            #expect(MapperSamples.token([record], for: target).claims.isEmpty)
        }
    }

    @Test("A mapper of every kind is read from its representation, and writes no claim but its own")
    func everyKind() {
        for var mapper in ClaimMapper.ofEveryKind {
            let kind = mapper.kind
            (mapper.kept, mapper.targets) = (nil, .all)
            if kind.traits.place == .named { mapper.claim = ClaimPath(names: ["c"]) }
            let again = MapperSamples.read(mapper.representation)
            #expect(again.kind == kind)
            #expect((again.fault == nil) == (kind != .plain(.unknown)), "\(kind)")
            let own: [String] =
                switch kind.traits.place {
                case .named: ["c"]
                case .own(let names): names
                case .roles, .none: []
                }
            for target in ClaimMapper.Target.allCases {
                let claims = MapperSamples.token([mapper], for: target).claims
                #expect(Set(claims.map(\.name)).isSubset(of: own), "\(kind)")
            }
        }
    }

    @Test("Without a person there are no claims about one, and none fails")
    func nobody() {
        var input = MapperSamples.input
        (input.person, input.roles, input.groups) = (nil, [], [])
        let records = MapperCase.all.enumerated().map { index, row in
            MapperSamples.record(row.kind, row.config, name: "m\(index)")
        }
        for target in [ClaimMapper.Target.accessToken, .idToken, .userInfo] {
            let token = MapperSamples.token(records, for: target, input: input)
            #expect(token.subject == nil)
            #expect(token.claims["name"] == nil)
            #expect(token.claims["realm_access"] == nil)
        }
    }
}
