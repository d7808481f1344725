import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("Clients from Keycloak whose tokens are bound to a key") struct BoundClientTests {
    private static func attributes(_ isOn: Bool) -> String {
        #"{"attributes": {"dpop.bound.access.tokens": "\#(isOn)"}}"#
    }

    @Test("RFC9449-5.2-1, KC-A-2: the attribute that binds a client's tokens is followed, and kept")
    func administered() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.webID)"
        #expect(try await admin.send(.put, path, Self.attributes(true), by: token).status == 204)
        #expect(try await admin.signIn("ann").error == "invalid_dpop_proof")
        // As it is sent back, and where nothing is said of it.
        let shown = try await admin.send(.get, path, by: token).json
        #expect(shown.object("attributes")?.string("dpop.bound.access.tokens") == "true")
        for body in [String(decoding: shown.serialized(), as: UTF8.self), #"{"name": "Web"}"#] {
            #expect(try await admin.send(.put, path, body, by: token).status == 204)
            #expect(try await admin.signIn("ann").error == "invalid_dpop_proof")
        }
        #expect(try await admin.send(.put, path, Self.attributes(false), by: token).status == 204)
        #expect(try await admin.signIn("ann").json.string("token_type") == "Bearer")
    }

    private static func file(_ web: String = "") -> String {
        """
        {"realm": "a", "enabled": true, "clients": [
            {"clientId": "web", "publicClient": true,
             "redirectUris": ["https://a.example/cb"] \(web)}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """
    }

    @Test("RFC9449-5.2-1, KC-M-1: a file that is written over a realm binds a client's tokens")
    func written() async throws {
        let scene = try OverwriteScene()
        func isBound() async throws -> Bool? {
            try await scene.client("web")?.dpopBoundAccessTokens
        }
        try await scene.write(Self.file())
        #expect(try await isBound() == false)
        for text in ["True", "true"] {
            let said = #", "attributes": {"dpop.bound.access.tokens": "\#(text)"}"#
            try await scene.write(Self.file(said))
            #expect(try await isBound() == true, "\(text)")
        }
        try await scene.write(Self.file())
        #expect(try await isBound() == false)
    }

    @Test("RFC9449-6.1-1: a token for an administrator's password is bound by a proof, too")
    func password() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let server = admin.server
        try await admin.makeMaster()
        let form = [
            ("grant_type", "password"), ("client_id", "admin-cli"), ("username", "root"),
            ("password", AdminUnderTest.password),
        ]
        let script = try Prover(server, realm: "master")
        let reply = try await script.post("token", form)
        #expect(reply.json.string("token_type") == "DPoP", "\(reply.text)")
        let token = reply.json.string("access_token") ?? ""
        let key = try reply.claims("access_token").object("cnf")?.string("jkt")
        #expect(key == script.key.thumbprint.text)
        // Without a proof it is nothing.
        #expect(try await admin.send(.get, "/users", by: token).status == 401)
        let proof = try await script.proof(.post, "token")
        let path = ProviderUnderTest.path("token", "master")
        #expect(try await server.post(path, form, headers: [.proof: proof]).status == 200)
        let again = try await server.post(path, form, headers: [.proof: proof])
        #expect(again.error == "invalid_dpop_proof")
    }
}
