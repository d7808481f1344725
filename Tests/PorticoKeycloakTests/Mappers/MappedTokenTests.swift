import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak
@testable import PorticoProvider

@Suite("Tokens by Keycloak's mappers") struct MappedTokenTests {
    static let realmRoles = MapperSamples.record(
        "oidc-usermodel-realm-role-mapper",
        ["claim.name": "realm_access.roles", "multivalued": "true"],
        name: "a roles"
    )
    static let clientRoles = MapperSamples.record(
        "oidc-usermodel-client-role-mapper",
        ["claim.name": "resource_access.${client_id}.roles", "multivalued": "true"],
        name: "b roles"
    )
    static let resolve = MapperSamples.record("oidc-audience-resolve-mapper", [:], name: "c")
    static let renamed = MapperSamples.record(
        "oidc-role-name-mapper",
        ["role": "reader", "new.role.name": "viewer"],
        name: "x"
    )
    static let moved = MapperSamples.record(
        "oidc-role-name-mapper",
        ["role": "my.api.read", "new.role.name": "elsewhere.look"],
        name: "y"
    )
    static let fixed = MapperSamples.record(
        "oidc-hardcoded-role-mapper",
        ["role": "auditor"],
        name: "z"
    )

    @Test("Roles are renamed and added before anything is made of them, whatever the order")
    func order() throws {
        let records = [
            Self.realmRoles, Self.clientRoles, Self.resolve, Self.renamed, Self.moved, Self.fixed,
        ]
        let expected = try JSONObject(
            """
            {"realm_access":{"roles":["auditor","viewer","writer"]},
             "resource_access":{"elsewhere":{"roles":["look"]},"my.api":{"roles":["write"]},
             "shop":{"roles":["clerk"]}}}
            """
        )
        for records in [records, records.reversed(), records.shuffled()] {
            for target in ClaimMapper.Target.allCases where target != .tokenResponse {
                let token = MapperSamples.token(records, for: target)
                #expect(token.claims == expected, "\(target)")
            }
            let token = MapperSamples.token(records)
            #expect(token.audiences == ["elsewhere", "my.api"])
        }
    }

    @Test("A role is renamed only for those who have it, and no audience is left without a role")
    func renamedOnly() throws {
        var input = MapperSamples.input
        input.roles = [RoleName(clientID: "my.api", name: "read")]
        let token = MapperSamples.token(
            [Self.realmRoles, Self.clientRoles, Self.resolve, Self.renamed, Self.moved],
            input: input
        )
        let expected = try JSONObject(#"{"resource_access":{"elsewhere":{"roles":["look"]}}}"#)
        #expect(token.claims == expected)
        #expect(token.audiences == ["elsewhere"])
        input.roles = []
        let none = MapperSamples.token([Self.clientRoles, Self.resolve, Self.moved], input: input)
        #expect(none.claims.isEmpty)
        #expect(none.audiences.isEmpty)
    }

    @Test("Roles and groups of one claim stand in one list, each once")
    func sharedClaim() throws {
        let groups = MapperSamples.record(
            "oidc-group-membership-mapper",
            ["claim.name": "groups"],
            name: "z"
        )
        let roles = MapperSamples.record(
            "oidc-usermodel-realm-role-mapper",
            ["claim.name": "groups", "multivalued": "true"],
            name: "a"
        )
        var input = MapperSamples.input
        input.groups.append(MemberGroup(names: ["reader"], attributes: []))
        let token = MapperSamples.token([roles, groups], input: input)
        let expected = try JSONObject(#"{"groups":["north","guests","reader","writer"]}"#)
        #expect(token.claims == expected)
    }

    @Test("Audiences are added, each once, and to ID Tokens too; never to UserInfo or the answer")
    func audiences() {
        let records = [
            MapperSamples.record(
                "oidc-audience-mapper",
                ["included.client.audience": "api", "included.custom.audience": "no"],
                name: "a"
            ),
            MapperSamples.record(
                "oidc-audience-mapper",
                ["included.client.audience": "", "included.custom.audience": "urn:x"],
                name: "b"
            ),
            MapperSamples.record(
                "oidc-hardcoded-claim-mapper",
                ["claim.name": "aud", "claim.value": "api"],
                name: "c"
            ),
            MapperSamples.record(
                "oidc-hardcoded-claim-mapper",
                ["claim.name": "aud", "claim.value": #"["urn:y",1]"#, "jsonType.label": "JSON"],
                name: "d"
            ),
            MapperSamples.record(
                "oidc-hardcoded-claim-mapper",
                ["claim.name": "aud", "claim.value": #"["urn:z"]"#, "jsonType.label": "JSON"],
                name: "e"
            ),
        ]
        for target in [ClaimMapper.Target.accessToken, .idToken, .introspection] {
            let token = MapperSamples.token(records, for: target)
            #expect(token.audiences == ["api", "urn:x", "urn:z"])
            #expect(token.claims.isEmpty)
        }
        for target in [ClaimMapper.Target.userInfo, .tokenResponse] {
            let token = MapperSamples.token(records, for: target)
            #expect(token.audiences.isEmpty)
            #expect(token.claims.isEmpty)
        }
    }

    @Test("An access token has a sub only by a mapper; an ID Token and UserInfo always have one")
    func subject() {
        let id = MapperSamples.person.id
        let sub = MapperSamples.record(
            "oidc-sub-mapper",
            [:],
            switches: ["access.token.claim": "true"]
        )
        #expect(MapperSamples.token([]).subject == nil)
        #expect(MapperSamples.token([sub]).subject == id)
        #expect(MapperSamples.token([sub], for: .introspection).subject == id)
        #expect(MapperSamples.token([sub], for: .lightweightAccessToken).subject == nil)
        #expect(MapperSamples.token([], for: .idToken).subject == id)
        #expect(MapperSamples.token([], for: .userInfo).subject == id)
    }

    static let pairwise = MapperSamples.record(
        "oidc-sha256-pairwise-sub-mapper",
        ["pairwiseSubAlgorithmSalt": "pepper"],
        name: "a",
        switches: [:]
    )

    /// Computed with Python's hashlib: MD5 of SHA-256("shop.example.com" + id + "pepper").
    @Test("OpenID Connect Core §8.1: a pairwise sub is the same in every token, and never the id")
    func pairwiseSubject() {
        let sub = MapperSamples.record("oidc-sub-mapper", [:], name: "z")
        for records in [[Self.pairwise, sub], [sub, Self.pairwise]] {
            for target in ClaimMapper.Target.allCases where target != .tokenResponse {
                let token = MapperSamples.token(records, for: target)
                #expect(token.subject == "f93c5238-1dae-3b5f-9bcf-8cc3ad687666")
            }
        }
    }

    @Test("Another sector, person or salt has another pairwise sub, and no sector never the id")
    func pairwiseSectors() throws {
        var subjects: Set<String?> = []
        for sector in ["shop.example.com", "other.example.com", nil] {
            var input = MapperSamples.input
            input.sector = sector
            subjects.insert(MapperSamples.token([Self.pairwise], input: input).subject)
            input.person?.id = "another"
            subjects.insert(MapperSamples.token([Self.pairwise], input: input).subject)
        }
        let named = MapperSamples.record(
            "oidc-sha256-pairwise-sub-mapper",
            [
                "pairwiseSubAlgorithmSalt": "pepper",
                "sectorIdentifierUri": "https://sector.example.com/list.json",
            ]
        )
        subjects.insert(MapperSamples.token([named]).subject)
        #expect(subjects.count == 7)
        #expect(!subjects.contains(MapperSamples.person.id))
        #expect(!subjects.contains(nil))
    }

    @Test(
        "OpenID Connect Core §8.1: the sector is the one host of the redirect URIs",
        arguments: [
            (["https://a.example.com/cb", "https://a.example.com:8443/x"], "a.example.com"),
            (["http://127.0.0.1/cb"], "127.0.0.1"), (["http://[::1]:80/cb"], "[::1]"),
            (["https://a.example.com/cb", "https://b.example.com/cb"], nil),
            (["https://b@a.example.com/"], "a.example.com"),
            (["com.example.app:/cb"], nil), ([], nil), (["https:///x"], nil),
        ] as [([String], String?)]
    )
    func sector(_ redirectURIs: [String], _ sector: String?) {
        #expect(PairwiseSubject.sector(of: redirectURIs) == sector)
    }

    @Test("OpenID Connect Core §5.5: essential claims are written, and a value if a mapper says so")
    func claimsParameter() throws {
        var input = MapperSamples.input
        input.requested = try ClaimsRequest(
            """
            {"id_token":{"name":{"essential":true},"email":null,"given_name":{"essential":true},
             "team":{"essential":true,"value":"green"},"sub":{"essential":true,"value":"root"}},
             "userinfo":{"email":{"essential":true},"family_name":{"essential":false}}}
            """
        )
        let records = [
            MapperSamples.record("oidc-claims-param-token-mapper", [:], name: "a"),
            MapperSamples.record(
                "oidc-claims-param-value-idtoken-mapper",
                ["claim.name": "team"],
                name: "b"
            ),
        ]
        let idToken = MapperSamples.token(records, for: .idToken, input: input)
        let expected = try JSONObject(
            #"{"name":"Mara Muster","given_name":"Mara","team":"green"}"#
        )
        #expect(idToken.claims == expected)
        #expect(idToken.subject == MapperSamples.person.id)
        let userInfo = MapperSamples.token(records, for: .userInfo, input: input)
        #expect(userInfo.claims == ["email": "mara@example.com"])
        #expect(MapperSamples.token(records, for: .accessToken, input: input).claims.isEmpty)
    }

    @Test("Ten thousand clients with roles are written in one pass")
    func many() {
        var input = MapperSamples.input
        input.roles = Set((0..<10_000).map { RoleName(clientID: "client-\($0)", name: "r\($0)") })
        let flat = MapperSamples.record(
            "oidc-usermodel-client-role-mapper",
            ["claim.name": "flat", "multivalued": "true"],
            name: "flat"
        )
        let token = MapperSamples.token([Self.clientRoles, flat, Self.resolve], input: input)
        #expect(token.claims.object("resource_access")?.count == 10_000)
        #expect(token.claims.array("flat")?.count == 10_000)
        #expect(token.audiences.count == 10_000)
    }
}
