import Foundation
import PorticoProtocol
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProgram

@Suite("A server at http://localhost") struct LocalhostServeTests {
    private struct LocalServe {
        let running: PorticoProcess.Running
        let url: String
        let port: UInt16
        let password: String

        init(in portico: PorticoProcess) async throws {
            // A port that was free a moment ago.
            let free = try #require(RawSocket.listen(port: 0))
            RawSocket.close(free.socket)
            port = free.port
            url = "http://localhost:\(port)"
            running = try portico.start([
                "serve", "--demo", "--listen", "127.0.0.1:\(port)", "--public-url", url,
                "--data-directory", "demo",
            ])
            _ = try await running.wait(forOutput: /Try +\S+ login --issuer \S+ --client-id \S+\n/)
            password = String(try #require(running.stdout.firstMatch(of: /Password +ann  (\S+)/)).1)
        }
    }

    @Test("Discovery, sign-in, UserInfo and sign-out go by that name; another name leads to it")
    func walk() async throws {
        let portico = try PorticoProcess()
        let server = try await LocalServe(in: portico)
        // The demonstration's providers are another site.
        #expect(server.running.stdout.contains("Stand-ins    http://127.0.0.1:"))

        let person = WebPerson()
        let metadata = try await person.get(
            "\(server.url)/realms/demo/.well-known/openid-configuration"
        )
        #expect(metadata.json.string("issuer") == "\(server.url)/realms/demo")
        let literal = await RawExchange.get(
            "/login",
            host: "127.0.0.1:\(server.port)",
            port: server.port
        )
        #expect(literal?.status == 308 || literal?.status == 303 || literal?.status == 302)
        #expect(literal?.field("Location") == "\(server.url)/login")
        let page = await RawExchange.get(
            "/login",
            host: "localhost:\(server.port)",
            port: server.port
        )
        #expect(page?.status == 200)
        #expect(page?.head.contains("__Host-") == false)
        #expect(page?.head.lowercased().contains("strict-transport-security") == false)
        #expect(
            await RawExchange.get(
                "/login",
                host: "evil.localhost:\(server.port)",
                port: server.port
            )?.status == 421
        )

        let login = try portico.start(
            "login --issuer \(server.url)/realms/demo --no-browser --timeout 60s"
        )
        let address = try await login.wait(
            forErrors: /http:\/\/localhost\S+code_challenge_method=S256/
        )
        _ = try await person.signIn(at: address, "ann", server.password)
        try await person.close()
        #expect(try await login.ended() == 0, "\(login.stderr)")
        #expect(try portico.run(["userinfo", "--claim", "name"]).stdout == "Ann Example\n")
        let token = try portico.run(["token"])
        let inspection = try portico.done(["token", "inspect"], input: token.stdout)
        #expect(inspection.contains("signature valid"))
        try portico.done(["logout", "--no-browser"])
    }

    @Test(
        "RFC 6761 §6.3: a public URL whose name leads elsewhere is refused before anything listens"
    )
    func elsewhere() async throws {
        for url in ["http://localhost:8080", "http://id.localhost:8080"] {
            var settings = Settings(dataDirectory: "/nowhere")
            settings.publicURL = try PublicURL(url)
            for addresses in [[[192, 0, 2, 1]], [.loopback4, [10, 0, 0, 7]]] as [[[UInt8]]] {
                let failure = await #expect(throws: Failure.self) {
                    try await settings.checkPublicName(
                        LocalhostName(resolver: ScriptedNames(addresses))
                    )
                }
                #expect(failure?.problem == .wrongValue)
                #expect(failure?.what.contains("leads to another machine") == true)
                #expect(failure?.remedy.contains("--public-url http://127.0.0.1:8080") == true)
            }
            for addresses in [[.loopback4], [.loopback6, .loopback4], []] as [[[UInt8]]] {
                try await settings.checkPublicName(
                    LocalhostName(resolver: ScriptedNames(addresses))
                )
            }
        }
        // No one is asked for another one.
        for url in ["https://localhost:8443", "https://id.example.com", "http://127.0.0.1:8080"] {
            var settings = Settings(dataDirectory: "/nowhere")
            settings.publicURL = try PublicURL(url)
            let names = ScriptedNames([[192, 0, 2, 1]])
            try await settings.checkPublicName(LocalhostName(resolver: names))
            #expect(names.questions.isEmpty)
        }
    }

    @Test("Plain http on a name that only looks like it is refused as before")
    func lookalikes() throws {
        let portico = try PorticoProcess()
        for url in ["http://localhost.example.com:8080", "http://notlocalhost:8080"] {
            let outcome = try portico.run(["serve", "--public-url", url])
            #expect(outcome.status == 2)
            #expect(outcome.stderr.contains("(wrong-value)"), "\(outcome.stderr)")
        }
    }
}

@Suite("The port that the server will listen on") struct HeldPortTests {
    #if os(Linux)
        @Test(
            "it is no one else's meanwhile, and the server is let in",
            arguments: ["127.0.0.1", "::1"]
        )
        func held(host: String) throws {
            let held = try ReservedPort(ListenAddress(host: host, port: 0))
            let port = UInt16(clamping: held.address.port)
            #expect(port > 0)
            #expect(RawSocket.listen(host, port: port) == nil)
            #expect(RawSocket.connect(host, port: port) == nil)
            let server = try #require(RawSocket.listen(host, port: port, sharing: true))
            defer { RawSocket.close(server.socket) }
            let visitor = try #require(RawSocket.connect(host, port: port))
            RawSocket.close(visitor)
            withExtendedLifetime(held) {}
        }
    #endif

    @Test("it is given back")
    func released() throws {
        let port = try ReservedPort(ListenAddress(host: "127.0.0.1", port: 0)).address.port
        let listener = try #require(RawSocket.listen(port: UInt16(clamping: port)))
        RawSocket.close(listener.socket)
    }
}
