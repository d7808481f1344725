import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("The client for development, which has no document") struct LocalhostClientTests {
    private func push(_ clientID: String, _ redirect: String, _ scope: String = "atproto")
        async throws -> Reply
    {
        let scene = try await ATScene()
        let reply = try await scene.push([
            ("client_id", clientID), ("redirect_uri", redirect), ("scope", scope),
        ])
        #expect(scene.sites.fetched.isEmpty)
        return reply
    }

    @Test(
        "ATP-LOC-1, CIMD-4.2-1: http://localhost needs no document, with or without a slash",
        arguments: ["http://localhost", "http://localhost/"]
    )
    func taken(clientID: String) async throws {
        #expect(try await push(clientID, "http://127.0.0.1:5555/").status == 201)
        let query = "?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&scope=atproto%20transition:generic"
        let reply = try await push(
            clientID + query,
            "http://127.0.0.1:5555/cb",
            "atproto transition:generic"
        )
        #expect(reply.status == 201, "\(reply.text)")
    }

    @Test(
        "ATP-LOC-1: a port, a path, another host or parameter is refused",
        arguments: [
            "http://localhost:3000", "http://localhost/x", "http://127.0.0.1", "http://[::1]",
            "http://localhost?x=y", "http://localhost?scope=atproto&scope=atproto",
            "http://localhost?redirect_uri=http://localhost/cb",
            "http://localhost?redirect_uri=https://app.example.com/cb",
        ]
    )
    func refused(clientID: String) async throws {
        let reply = try await push(clientID, "http://127.0.0.1/")
        #expect(reply.status == 400 && reply.error == "invalid_client_metadata")
    }

    @Test("ATP-LOC-2: it has two redirect URIs and the scope atproto, is public, and proves a key")
    func defaults() async throws {
        for redirect in ["http://127.0.0.1/", "http://[::1]/", "http://[::1]:8080/"] {
            #expect(try await push("http://localhost", redirect).status == 201, "\(redirect)")
        }
        for redirect in ["http://localhost/", "http://127.0.0.1/cb", "http://127.0.0.1"] {
            let reply = try await push("http://localhost", redirect)
            #expect(reply.status == 400 && reply.error == "invalid_request", "\(redirect)")
        }
        let wider = try await push(
            "http://localhost",
            "http://127.0.0.1/",
            "atproto transition:generic"
        )
        #expect(wider.error == "invalid_scope")
    }

    @Test("ATP-LOC-3: the path must match; the port is free only where client_id has none")
    func ports() async throws {
        let free = "http://localhost?redirect_uri=http://127.0.0.1/cb"
        let fixed = "http://localhost?redirect_uri=http://127.0.0.1:12599/cb"
        for (clientID, redirect, status) in [
            (free, "http://127.0.0.1/cb", 201), (free, "http://127.0.0.1:5555/cb", 201),
            (free, "http://127.0.0.1/other", 400), (free, "http://[::1]/cb", 400),
            (fixed, "http://127.0.0.1:12599/cb", 201), (fixed, "http://127.0.0.1:5555/cb", 400),
            (fixed, "http://127.0.0.1/cb", 400),
        ] {
            #expect(try await push(clientID, redirect).status == status, "\(clientID) \(redirect)")
        }
    }

    @Test("ATP-LOC-2: its person signs in, and it gets tokens that are bound to its key")
    func tokens() async throws {
        let scene = try await ATScene()
        let changes = [
            ("client_id", "http://localhost"), ("redirect_uri", "http://127.0.0.1:5555/"),
        ]
        let own = changes + [("scope", "atproto")]
        let reply = try await scene.redeem(try await scene.code(own), changes)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json.string("token_type") == "DPoP")
        #expect(reply.json.string("sub") == ATScene.dids["alice"])
        #expect(scene.sites.fetched.isEmpty)
    }
}
