import PorticoTestSupport
import Testing

/// Whose people sign in at the backend (docs/decisions/0165).
@Suite("The backend's realm") struct BackendRealmTests {
    private let portico: PorticoProcess

    init() throws { portico = try PorticoProcess() }

    private static let google = [
        "provider", "add", "google", "--client-id", "1", "--secret-file", "-",
    ]

    private func add(_ options: String...) throws -> PorticoProcess.Outcome {
        try portico.run(Self.google + options, input: "a secret\n")
    }

    /// The realms that have a provider.
    private func realms(_ names: String...) throws -> [String] {
        try names.filter {
            try portico.run("provider list --realm \($0) --plain").stdout.contains("google")
        }
    }

    @Test("it is the only realm; one for administration or a host does not count")
    func only() throws {
        try portico.done("realm create shop")
        try portico.done("realm create master")
        try portico.done("realm create pds --host http://127.0.0.1:9999 --atproto")
        let added = try add()
        #expect(added.status == 0, "\(added.stderr)")
        #expect(try realms("shop", "master", "pds") == ["shop"])
        // The choice stays.
        try portico.done("realm create other")
        #expect(try portico.run("provider show google").status == 0)
        try portico.done(
            "client create notes --realm shop --hand-off code --redirect-uri com.example:/cb"
        )
        let elsewhere = try portico.run(
            "client create memo --realm other --hand-off code --redirect-uri com.example.m:/cb"
        )
        #expect(elsewhere.stderr.contains("The backend's apps are of realm shop."))
    }

    @Test("of several none is chosen: home is made, once; a dry run makes nothing")
    func home() throws {
        try portico.done("realm create one")
        try portico.done("realm create two")
        #expect(try add("-n").status == 0)
        #expect(try !portico.run("realm list --plain").stdout.contains("home"))
        let added = try add()
        #expect(added.stderr.contains("Created realm home for the people who sign in."))
        #expect(try realms("home", "one", "two") == ["home"])
        let again = try add("--name", "google2")
        #expect(!again.stderr.contains("Created realm"))
    }

    @Test("a realm can be named, by a setting or for one provider")
    func named() throws {
        try portico.done("realm create one")
        try portico.done("realm create two")
        try portico.write("backend:\n  realm: two\n", to: "portico.yaml")
        #expect(try add().status == 0)
        #expect(try realms("one", "two") == ["two"])
        #expect(try add("--realm", "one").status == 0)
        #expect(try realms("one", "two") == ["one", "two"])
        let removed = try portico.run("provider remove google --realm one --confirm google")
        #expect(removed.status == 0, "\(removed.stderr)")
        #expect(try realms("one", "two") == ["two"])
        try portico.write("backend:\n  realm: three\n", to: "portico.yaml")
        try portico.done("provider remove google --confirm google")
        #expect(try add().status == 0)
    }

    @Test("a server makes another realm the backend's where the settings name it")
    func another() async throws {
        let address = ["--public-url", "https://id.example.com"]
        for name in ["one", "two"] {
            try portico.done("realm create \(name) --public-url https://id.example.com")
        }
        // To name a realm does not make it the backend's.
        #expect(try add("--realm", "two", "--name", "other").status == 0)
        #expect(try !portico.run("provider list --plain").stdout.contains("other"))
        try portico.done("provider remove other --realm two --confirm other")
        try portico.write("backend:\n  realm: one\n", to: "portico.yaml")
        #expect(try add().status == 0)
        #expect(try portico.run("provider list --plain").stdout.contains("google"))
        for (name, isThere) in [("three", true), ("two", false)] {
            let server = try await EarnestServer(
                in: portico,
                address + ["--backend-realm", name]
            )
            if isThere {
                try await server.wait {
                    server.running.stderr.contains("backend.realm names a realm that is not there")
                }
            }
            try await server.stop()
            let list = try portico.run("provider list --plain").stdout
            #expect(list.contains("google") == isThere)
        }
        #expect(try realms("one", "two") == ["one"])
    }

    private func file(_ provider: String) -> String {
        """
        {"realm": "house", "enabled": true,
         "identityProviders": [\(provider)],
         "users": [{"id": "0b3d7a52-54a2-4c1c-9f7b-0f8f5a8f6b11", "username": "ann",
                    "federatedIdentities": [
                        {"identityProvider": "oidc", "userId": "1042", "userName": "ann"}]}]}
        """
    }

    @Test("a provider takes the place of one in the realm's file only if it is the same")
    func same() throws {
        let provider = try LocalProvider()
        let oidc =
            #"{"alias": "oidc", "providerId": "oidc", "config": {"issuer": "ISSUER"}}"#
        func add(_ options: String...) throws -> PorticoProcess.Outcome {
            try portico.run(
                [
                    "provider", "add", "oidc", "--client-id", "x", "--issuer", provider.issuer,
                    "--allow-insecure-loopback", "--without-secret",
                ] + options
            )
        }
        let other = oidc.replacing("ISSUER", with: "https://other.example")
        try portico.write(file(other), to: "house.json")
        try portico.done("realm import house.json --on-conflict skip")
        let refused = try add()
        #expect(refused.status == 1, "\(refused.stderr)")
        #expect(
            refused.stderr.contains("came with another provider named oidc (https://other.example)")
        )
        #expect(try add("--name", "new").status == 0)
        try portico.done("realm delete house --confirm house")
        try portico.write(file(oidc.replacing("ISSUER", with: provider.issuer)), to: "house.json")
        try portico.done("realm import house.json --on-conflict skip")
        let taken = try add()
        #expect(taken.status == 0, "\(taken.stderr)")
        #expect(taken.stderr.contains("1 person has an account at a provider of that name"))
    }
}
