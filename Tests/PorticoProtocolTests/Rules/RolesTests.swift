import PorticoProtocol
import Testing

@Suite("Roles")
struct RolesTests {
    @Test("Keycloak's shape: realm roles, client roles and a flat list")
    func keycloak() {
        let roles = RoleMapping.keycloak.roles(in: [
            "realm_access": ["roles": ["editor", "reader"]],
            "resource_access": ["notes": ["roles": ["owner"]], "empty": ["roles": []]],
            "roles": ["flat"],
        ])
        #expect(roles.names == ["editor", "reader", "flat"])
        #expect(roles.contains("editor"))
        #expect(roles.contains("editor", in: .realm))
        #expect(!roles.contains("Editor"))
        #expect(!roles.contains("owner"))
        #expect(roles.contains("owner", in: .client("notes")))
        #expect(!roles.contains("editor", in: .client("notes")))
        #expect(!roles.contains("owner", in: .client("other")))
        #expect(roles.clients == ["notes": ["owner"]])
    }

    @Test(
        "Claims of another shape are no roles, and nothing traps",
        arguments: [
            [:], ["realm_access": "editor"], ["realm_access": ["roles": "editor"]],
            ["realm_access": ["editor"]], ["resource_access": ["notes"]],
            ["resource_access": ["notes": ["owner"]]], ["roles": ["a": true]], ["roles": .null],
        ] as [JSONObject]
    )
    func otherShapes(claims: JSONObject) {
        #expect(RoleMapping.keycloak.roles(in: claims) == .none)
    }

    @Test("Of a mixed list the texts count")
    func mixed() {
        #expect(
            RoleMapping.keycloak.roles(in: ["roles": ["a", 1, .null, "b"]]).names == ["a", "b"]
        )
    }

    @Test("Another claim can be named, also one within objects")
    func claim() {
        let claims: JSONObject = ["groups": ["g"], "urn:example": ["roles": ["r"]]]
        #expect(RoleMapping.claim("groups").roles(in: claims).names == ["g"])
        #expect(RoleMapping.claim("urn:example", "roles").roles(in: claims).names == ["r"])
        #expect(RoleMapping.claim().roles(in: claims) == .none)
    }
}
