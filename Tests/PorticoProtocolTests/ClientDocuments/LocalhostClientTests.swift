import Testing

@testable import PorticoProtocol

@Suite("http://localhost as a client") struct LocalhostClientTests {
    @Test(
        "ATP-LOC-2: the client of an app in development needs nothing but its name",
        arguments: [
            "http://localhost", "http://localhost/", "http://localhost?", "http://localhost/?",
        ]
    )
    func defaults(text: String) throws {
        let document = try LocalhostClient(text).document
        #expect(document.clientID == text)
        #expect(document.redirectURIs.map(\.text) == ["http://127.0.0.1/", "http://[::1]/"])
        #expect(document.scope.text == "atproto")
        #expect(document.isNative)
        #expect(document.authentication == .none)
        #expect(document.refreshes)
        #expect(document.name == nil && document.clientURI == nil)
    }

    @Test("ATP-LOC-1: redirect URIs and a scope stand in the query")
    func query() throws {
        let document = try LocalhostClient(
            "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3A12599%2Fcb"
                + "&scope=atproto%20transition:generic&redirect_uri=http://[::1]/cb"
        ).document
        #expect(
            document.redirectURIs.map(\.text)
                == ["http://127.0.0.1:12599/cb", "http://[::1]/cb"]
        )
        #expect(document.scope.text == "atproto transition:generic")
        #expect(
            try LocalhostClient("http://localhost/?scope=atproto+openid").document.scope
                .contains("openid")
        )
    }

    @Test(
        "ATP-LOC-1: another host, a port, a path, a fragment or another parameter is refused",
        arguments: [
            "", "https://localhost", "http://localhost:3000", "http://localhost:80",
            "http://localhost/path", "http://localhost//", "http://localhost.evil.com",
            "http://localhost@evil.com", "http://127.0.0.1", "http://[::1]", "http://LOCALHOST",
            "HTTP://localhost", "http://localhost#x", "http://localhost?scope=atproto#x",
            "http://localhost?client_name=x", "http://localhost?scope=atproto&scope=atproto",
            "http://localhost?redirect_uri=https%3A%2F%2F127.0.0.1%2Fcb",
            "http://localhost?redirect_uri=http://localhost/cb",
            "http://localhost?redirect_uri=http://127.0.0.1.evil.com/",
            "http://localhost?redirect_uri=http://127.0.0.2/", "http://localhost?redirect_uri=",
            "http://localhost?redirect_uri=http://127.0.0.1/%23x", "http://localhost?%zz=x",
            "http://localhost?redirect_uri=com.example.app:/cb", "http://localhost?scope=a b",
            "http://localhost?"
                + [String](repeating: "redirect_uri=http://[::1]/", count: 33).joined(
                    separator: "&"
                ),
            "http://localhost?redirect_uri=http://127.0.0.1/" + String(repeating: "x", count: 2048),
        ]
    )
    func refused(text: String) {
        #expect(throws: ClientDocumentRefusal.address, "\(text.prefix(80))") {
            try LocalhostClient(text)
        }
    }

    @Test(
        "ATP-LOC-2: its scope keeps to the rules of every document",
        arguments: ["", "openid", "atproto%20atproto", "atproto%20%20openid", "%22", "Atproto"]
    )
    func scope(text: String) {
        #expect(throws: ClientDocumentRefusal.scope) {
            try LocalhostClient("http://localhost?scope=\(text)")
        }
    }

    @Test("ATP-LOC-3: the port is free only where the redirect URI of the client has none")
    func ports() throws {
        func permits(_ clientID: String, _ requested: String) throws -> Bool {
            try LocalhostClient(clientID).document.redirectURIs.contains {
                $0.permitsExactPort(RedirectURI(requested))
            }
        }
        #expect(try permits("http://localhost", "http://127.0.0.1:5555/"))
        #expect(try permits("http://localhost", "http://[::1]:5555/"))
        #expect(try !permits("http://localhost", "http://127.0.0.1:5555/cb"))
        #expect(try !permits("http://localhost", "http://localhost:5555/"))
        let withPort = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3A12599%2Fcb"
        #expect(try permits(withPort, "http://127.0.0.1:12599/cb"))
        #expect(try !permits(withPort, "http://127.0.0.1:5555/cb"))
        let portless = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb"
        #expect(try permits(portless, "http://127.0.0.1:5555/cb"))
        #expect(try !permits(portless, "http://127.0.0.1:5555/"))
        #expect(try !permits(portless, "http://[::1]:5555/cb"))
    }

    @Test("ATP-LOC-1: what begins with http:// is meant as such a client, and nothing else is")
    func meant() {
        #expect(LocalhostClient.isMeant(by: "http://localhost"))
        #expect(LocalhostClient.isMeant(by: "http://evil.com"))
        #expect(!LocalhostClient.isMeant(by: "https://localhost"))
        #expect(!LocalhostClient.isMeant(by: "app"))
    }
}
