import PorticoProtocol
import PorticoTestSupport
import Testing

/// One session for the web app and the realm's apps, as the demo has it (docs/decisions/0167).
@Suite("One session") struct SharedSessionTests {
    @Test("who signs in with Google on the realm's page is signed in at the web app")
    func both() async throws {
        let demo = try await DemoServer()
        let apps = demo.issuer + "/account/apps"
        let person = WebPerson()
        let page = try await person.get(apps)
        #expect(page.text.contains(#"name="way" value="google""#))
        let choice = try await person.submit(page, from: apps, [("way", "google")])
        #expect(choice.text.contains("ben"))
        let standIn = try #require(demo.running.stdout.firstMatch(of: /Stand-ins +(\S+)/)).1
        let back = try await person.submit(choice, from: String(standIn), [("person", "ben")])
        #expect(back.status == 200)
        let session = try await person.get(demo.url + "/v1/auth/session")
        #expect(session.json.bool("authenticated") == true)
        let listed = try await person.get(apps)
        #expect(listed.status == 200)
        #expect(!listed.text.contains(#"name="password""#))
        // The providers are at the backend, and nowhere else.
        #expect(try await person.get(demo.issuer + "/broker/google/login").status == 404)
        // An app of the realm needs no more than that.
        let login = try demo.portico.start(
            ["login", "--issuer", demo.issuer, "--no-browser", "--timeout", "60s"]
        )
        let address = try await login.wait(forErrors: /http:\/\/\S+code_challenge_method=S256/)
        _ = try await person.get(address)
        #expect(try await login.ended() == 0)
        try await person.close()
        try await demo.stop()
    }

    @Test("who signs in with a password is signed in at the web app")
    func password() async throws {
        let demo = try await DemoServer()
        let person = WebPerson()
        let apps = demo.issuer + "/account/apps"
        _ = try await person.signIn(at: apps, "ann", demo.passwords["ann"] ?? "")
        let session = try await person.get(demo.url + "/v1/auth/session")
        #expect(session.json.object("user")?.string("email") == "ann@demo.example")
        let account = try await person.get(demo.url + "/account")
        #expect(account.text.contains("ann@demo.example"))
        // Signing out of the web app is signing out.
        let page = try await person.get(demo.url + "/logout")
        _ = try await person.submit(page, from: demo.url + "/logout", [("action", "sign-out")])
        #expect(try await person.get(apps).text.contains(#"name="password""#))
        try await person.close()
        try await demo.stop()
    }
}
