import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: client scopes, and the roles that they show") struct ImportedScopeTests {
    @Test("A file without client scopes gets Keycloak's own; one with an empty list gets none")
    func builtIn() async throws {
        let without = try await ImportSample.realm(#""users": []"#)
        #expect(
            Set(without.realm.scopes.map(\.name)) == [
                "basic", "profile", "email", "roles", "web-origins", "acr", "address", "phone",
                "offline_access", "microprofile-jwt", "service_account",
            ]
        )
        #expect(without.realm.scopes.count == 11)
        for scope in without.realm.scopes {
            #expect(UniqueID(scope.id) != nil && scope.realmID == without.realm.realm.id)
        }
        #expect(without.report.says(.changed, "client scopes", "the file has none"))
        let empty = try await ImportSample.realm(
            #"""
            "clientScopes": [],
            "clients": [{"clientId": "a", "redirectUris": ["https://a.example/cb"],
                "defaultClientScopes": ["profile"]}]
            """#
        )
        #expect(empty.realm.scopes.isEmpty)
        #expect(empty.realm.clients.first?.defaultScopes == [])
        #expect(empty.realm.clients.first?.optionalScopes == [])
    }

    @Test("A scope keeps what the file says of it; of two with one name the first is taken")
    func kept() async throws {
        let imported = try await ImportSample.realm(
            #"""
            "clientScopes": [
                {"id": "00000000-0000-4000-8000-000000000001", "name": "a", "description": "A",
                    "attributes": {"consent.screen.text": "${a}", "gui.order": "1"}},
                {"name": "a", "description": "again"}, {"name": "b"}
            ]
            """#
        )
        let scopes = imported.realm.scopes
        try #require(scopes.map(\.name) == ["a", "b"])
        #expect(scopes[0].id == "00000000-0000-4000-8000-000000000001")
        #expect(scopes[0].description == "A")
        let expected: JSONObject = ["consent.screen.text": "${a}", "gui.order": "1"]
        #expect(scopes[0].kept["attributes"] == .object(expected))
        #expect(imported.report.says(.skipped, "scope a", "twice"))
    }

    @Test("A client has the scopes that its realm has, of OpenID Connect, with names to ask for")
    func named() async throws {
        let names = #"["openid", "two words", "samlish", "gone", "a", "b", "a"]"#
        let imported = try await ImportSample.clients(
            [
                #""defaultClientScopes": \#(names), "optionalClientScopes": ["c", "samlish", "a"]"#,
                #""publicClient": true"#,
            ],
            realm: """
                "clientScopes": [
                    {"name": "openid"}, {"name": "two words"}, {"name": "a"}, {"name": "b"},
                    {"name": "c", "protocol": "openid-connect"},
                    {"name": "samlish", "protocol": "saml"}
                ],
                "defaultDefaultClientScopes": ["b", "offline_access"],
                "defaultOptionalClientScopes": ["c", "gone"],
                """
        )
        #expect(imported[0].client?.defaultScopes == ["a", "b"])
        // One that it gets is not one that it may ask for.
        #expect(imported[0].client?.optionalScopes == ["c"])
        for name in ["openid", "two words"] {
            #expect(imported[0].says(.skipped, "scope \(name): no one can ask for that name"))
        }
        #expect(imported[1].client?.defaultScopes == ["b"])
        #expect(imported[1].client?.optionalScopes.first == "c")
    }

    @Test("A client of which the file has one list of scopes has no others, as in Keycloak")
    func oneList() async throws {
        let imported = try await ImportSample.clients([
            #""defaultClientScopes": ["profile"]"#, #""optionalClientScopes": ["email"]"#,
        ])
        let (first, second) = (imported[0].client, imported[1].client)
        #expect(first?.defaultScopes == ["profile"] && first?.optionalScopes == [])
        #expect(second?.defaultScopes == [] && second?.optionalScopes == ["email"])
    }

    @Test("New clients get scopes that the file describes, each once; the others are reported")
    func newClients() async throws {
        let imported = try await ImportSample.realm(
            #"""
            "clientScopes": [{"name": "a"}, {"name": "b"}],
            "defaultDefaultClientScopes": ["b", "gone", "b"],
            "defaultOptionalClientScopes": ["b", "a"]
            """#
        )
        #expect(imported.realm.realm.defaultClientScopes == ["b"])
        #expect(imported.realm.realm.optionalClientScopes == ["a"])
        #expect(imported.report.says(.skipped, "realm", "defaultDefaultClientScopes gone"))
    }

    @Test("Who shows which roles comes along, where both are there; the rest is told of")
    func limits() async throws {
        let imported = try await ImportSample.realm(
            """
            "clientScopes": [{"name": "s"}],
            "clients": [
                {"clientId": "a", "redirectUris": ["https://a.example/cb"]},
                {"clientId": "b", "redirectUris": ["https://b.example/cb"]}
            ],
            "roles": {"realm": [{"name": "x"}, {"name": "y"}], "client": {"b": [{"name": "x"}]}},
            "scopeMappings": [
                {"client": "a", "roles": ["x", "gone"]}, {"clientScope": "s", "roles": ["y"]},
                {"client": "gone", "roles": ["x"]}, {"clientScope": "S", "roles": ["x"]},
                {"roles": ["x"]}
            ],
            "clientScopeMappings": {
                "b": [{"client": "a", "roles": ["x", "y"]}, {"clientScope": "s", "roles": ["x"]}],
                "gone": [{"client": "a", "roles": ["x"]}]
            }
            """
        )
        let a = RoleLimit.Owner.client(try #require(imported.realm.clients.first).id)
        let s = RoleLimit.Owner.scope(try #require(imported.realm.scopes.first).id)
        let (x, y) = (RoleName(clientID: nil, name: "x"), RoleName(clientID: nil, name: "y"))
        let ofClient = RoleName(clientID: "b", name: "x")
        #expect(
            Set(imported.realm.roleLimits) == [
                RoleLimit(owner: a, role: x), RoleLimit(owner: s, role: y),
                RoleLimit(owner: a, role: ofClient), RoleLimit(owner: s, role: ofClient),
            ]
        )
        #expect(imported.realm.roleLimits.count == 4)
        for (subject, words) in [
            ("client a", "role gone: it is not imported"), ("client gone", "shows roles"),
            ("scope S", "shows roles"), ("client a", "role b/y: it is not imported"),
            ("client a", "role gone/x: it is not imported"),
        ] {
            #expect(imported.report.says(.skipped, subject, words), "\(subject): \(words)")
        }
    }
}
