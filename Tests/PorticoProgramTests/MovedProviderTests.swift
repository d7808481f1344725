import PorticoProtocol
import PorticoTestSupport
import Testing

/// Identity providers that come with a realm of Keycloak's (docs/decisions/0169). The provider is another
/// realm of the same server.
@Suite("Identity providers of a moved realm") struct MovedProviderTests {
    private static let password = "a password of sam 1"
    private static let secret = "a secret of the broker, long enough"

    /// - Parameter issuer: Of the provider.
    private static func file(_ issuer: String, sam: String, secret: String) -> String {
        """
        {"realm": "moved", "enabled": true,
         "clients": [{"clientId": "native1", "publicClient": true, "standardFlowEnabled": true,
                      "redirectUris": ["com.example.app:/cb"]}],
         "identityProviders": [
            {"alias": "corp", "displayName": "Corp", "internalId": "a-1", "providerId": "oidc",
             "enabled": true,
             "config": {"issuer": "\(issuer)", "clientId": "broker", "clientSecret": "\(secret)",
                        "clientAuthMethod": "client_secret_post"}},
            {"alias": "saml", "internalId": "a-2", "providerId": "saml", "config": {}}],
         "users": [{"username": "sam-here", "enabled": true, "email": "sam@moved.example",
                    "federatedIdentities": [
                        {"identityProvider": "corp", "userId": "\(sam)", "userName": "sam"}]}]}
        """
    }

    /// A realm `corp` with Sam, and `moved`, of a file whose secret was masked.
    private static func scene() async throws -> DemoServer {
        let demo = try await DemoServer()
        let portico = demo.portico
        let place = ["--data-directory", "demo"]
        try portico.write(password, to: "password")
        try portico.write(secret, to: "secret")
        func done(_ words: String...) throws -> String {
            let outcome = try portico.run(words + place)
            #expect(outcome.status == 0, "\(words) \(outcome.stderr)")
            return outcome.stdout.split(separator: "\n").last.map(String.init) ?? ""
        }
        _ = try done("realm", "create", "corp")
        let sam = try done(
            "user",
            "create",
            "sam",
            "--realm",
            "corp",
            "--password-file",
            "password"
        )
        _ = try done(
            "client",
            "create",
            "broker",
            "--realm",
            "corp",
            "--type",
            "confidential",
            "--redirect-uri",
            "\(demo.url)/realms/moved/broker/corp/endpoint",
            "--secret-file",
            "secret"
        )
        let file = file("\(demo.url)/realms/corp", sam: sam, secret: "**********")
        try portico.write(file, to: "moved.json")
        _ = try done("realm", "import", "moved.json")
        return demo
    }

    private static func authorization(_ demo: DemoServer) -> String {
        FormEncoding.appending(
            TestFlow.request().map { (name: $0.0, value: $0.1) },
            to: "\(demo.url)/realms/moved/protocol/openid-connect/auth"
        )
    }

    @Test(
        "after its secret is set, people sign in as themselves, and nothing changes at the provider"
    )
    func signsIn() async throws {
        let demo = try await Self.scene()
        let portico = demo.portico
        let place = " --realm moved --data-directory demo"
        let shown = try portico.run("provider show corp" + place).stdout
        #expect(shown.contains("disabled: the export masked its secret: set it"))
        #expect(shown.contains("\(demo.url)/realms/moved/broker/corp/endpoint"))
        #expect(!shown.contains("/v1/auth/"))
        #expect(try portico.run("provider list" + place).stdout.contains("saml"))
        let more = try portico.run("provider update corp --client-id x" + place)
        #expect(more.status == 2, "\(more.stderr)")
        let updated = try portico.run("provider update corp --secret-file secret" + place)
        #expect(updated.status == 0, "\(updated.stderr)")
        // The address of the demo is not in its settings.
        let tested = try portico.run(
            "provider test corp" + place,
            environment: ["PORTICO_PROVIDERS_ALLOW": String(demo.url.dropFirst("http://".count))]
        )
        #expect(tested.status == 0, "\(tested.stdout)")

        let address = Self.authorization(demo)
        let person = WebPerson()
        let page = try await untilTrue {
            let page = try await person.get(address)
            return page.text.contains(#"name="way" value="corp""#) ? page : nil
        }
        let there = try await person.submit(page, from: address, [("way", "corp")])
        let done = try await person.submit(
            there,
            from: demo.url,
            [("username", "sam"), ("password", Self.password)]
        )
        #expect(done.location?.hasPrefix("com.example.app:/cb?code=") == true)
        let identities = try portico.run("user identities sam-here" + place).stdout
        #expect(identities.contains("corp"))
        let people = try portico.run("user list --plain" + place).stdout
        #expect(people.split(separator: "\n").count == 1)

        // What is switched off is off within a second or two.
        #expect(try portico.run("provider update corp --disable-provider" + place).status == 0)
        _ = try await untilTrue {
            let reply = try await person.get("\(demo.url)/realms/moved/broker/corp/login")
            return reply.status == 404 ? reply : nil
        }
        let removed = try portico.run("provider remove corp --confirm corp" + place)
        #expect(removed.status == 0, "\(removed.stderr)")
        #expect(try !portico.run("provider list" + place).stdout.contains("corp"))
        try await person.close()
        try await demo.stop()
    }

    private func untilTrue(_ body: () async throws -> Reply?) async throws -> Reply {
        for _ in 0..<100 {
            if let reply = try await body() { return reply }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw TooLate()
    }

    private struct TooLate: Error {}

    @Test(
        "attack: a provider of a file at a private address is not asked, but where the operator says so"
    )
    func guarded() async throws {
        let provider = try LocalProvider()
        let portico = try PorticoProcess()
        try portico.write(
            Self.file(provider.issuer, sam: "1", secret: "s3cret of the file"),
            to: "moved.json"
        )
        let outcome = try portico.run("realm import moved.json --public-url http://localhost:8080")
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let host = String(provider.issuer.dropFirst("http://".count))
        for isAllowed in [false, true] {
            let server = try await EarnestServer(
                in: portico,
                ["--public-url", "http://localhost:8080"]
                    + (isAllowed ? ["--providers-allow", host] : [])
            )
            let reply = try await server.request(
                "GET",
                "/realms/moved/broker/corp/login",
                host: "localhost:8080"
            )
            #expect((reply.status == 503) == !isAllowed, "\(reply.status)")
            #expect(provider.requests.isEmpty == !isAllowed)
            try await server.stop()
        }
        let tested = try portico.run("provider test corp")
        #expect(tested.status != 0)
    }
}
