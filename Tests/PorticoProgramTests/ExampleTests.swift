import PorticoTestSupport
import Testing

/// The examples, as processes of their own at a provider and with each other.
@Suite("The examples run")
struct ExampleTests {
    @Test("a person signs in to the command-line app, which calls the API and signs out")
    func ordersOfAnn() async throws {
        let server = try await DemoServer()
        let portico = server.portico
        try await register(server)
        let api = try portico.start(
            [],
            of: "OrdersAPIExample",
            environment: ["ORDERS_ISSUER": server.issuer, "PORT": "0"]
        )
        let line = try await api.wait(forErrors: /listening on 127\.0\.0\.1:\d+/)
        let port = try #require(line.split(separator: ":").last)
        let environment = [
            "ORDERS_ISSUER": server.issuer, "ORDERS_CLIENT_ID": "orders-cli",
            "ORDERS_API": "http://127.0.0.1:\(port)",
            // A browser that shows nothing: the person opens the address that is printed.
            "BROWSER": "true",
        ]
        let run = { try portico.run([$0], of: "OrdersExample", environment: environment) }
        let signedOut = try run("list")
        #expect(signedOut.status == 1)
        #expect(signedOut.stderr == "No one is signed in. Run: orders sign-in\n")

        let signIn = try portico.start(["sign-in"], of: "OrdersExample", environment: environment)
        let address = try await signIn.wait(forErrors: /http:\/\/\S+code_challenge_method=S256/)
        let person = WebPerson()
        _ = try await person.signIn(at: address, "ann", server.passwords["ann"] ?? "")
        #expect(try await signIn.ended() == 0, "\(signIn.stderr)")
        #expect(signIn.stdout == "Signed in as Ann Example\n")

        let list = try run("list")
        #expect(list.status == 0, "\(list.stderr)")
        #expect(list.stdout.hasPrefix("Orders of "))
        let refused = try await person.get("http://127.0.0.1:\(port)/orders")
        #expect(refused.status == 401)
        #expect(try await person.get("http://127.0.0.1:\(port)/health").text == "up")
        try await person.close()

        let signOut = try run("sign-out")
        #expect(signOut.stdout == "Signed out\n")
        #expect(try run("list").status == 1)
    }

    /// The app's client, whose tokens are for the API too; until the server knows it.
    private func register(_ server: DemoServer) async throws {
        try server.portico.done([
            "client", "create", "orders-cli", "--template", "cli", "--audience", "orders",
            "--data-directory", "demo", "--realm", "demo",
        ])
        let person = WebPerson()
        let address = "\(server.issuer)/protocol/openid-connect/auth?client_id=orders-cli"
        for _ in 0..<100 {
            let page = try await person.get(address)
            if !page.text.contains("This app isn’t registered here") { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        try await person.close()
    }
}
