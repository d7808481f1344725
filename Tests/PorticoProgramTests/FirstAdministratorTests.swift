import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("The administrator that the environment names") struct FirstAdministratorTests {
    private static let on = [
        "--admin-rest", "on", "--admin-master", "on", "--admin-password-grant", "on",
    ]
    private static let password = "one long way home"

    private func token(_ server: EarnestServer, _ name: String, _ password: String) async throws
        -> RawExchange
    {
        let form = FormEncoding.encode([
            (name: "grant_type", value: "password"), (name: "client_id", value: "admin-cli"),
            (name: "username", value: name), (name: "password", value: password),
        ])
        return try await server.request(
            "POST",
            "/realms/master/protocol/openid-connect/token",
            body: String(decoding: form, as: UTF8.self)
        )
    }

    @Test(
        "is made at the first start, by our names and by Keycloak's",
        arguments: [
            ("PORTICO_ADMIN_USERNAME", "PORTICO_ADMIN_PASSWORD"),
            ("KC_BOOTSTRAP_ADMIN_USERNAME", "KC_BOOTSTRAP_ADMIN_PASSWORD"),
            ("KEYCLOAK_ADMIN", "KEYCLOAK_ADMIN_PASSWORD"),
        ]
    )
    func made(_ username: String, _ password: String) async throws {
        let portico = try PorticoProcess()
        let first = try await EarnestServer(
            in: portico,
            Self.on,
            environment: [username: "root", password: Self.password]
        )
        #expect(first.running.stderr.contains("Created administrator root in realm master"))
        #expect(!first.running.stderr.contains(Self.password))
        #expect(try await token(first, "root", Self.password).status == 200)
        try await first.stop()
        // Later starts change nothing: neither password nor people.
        let second = try await EarnestServer(
            in: portico,
            Self.on,
            // Its issuers name the port.
            port: first.port,
            environment: [username: "other", password: "another long way home"]
        )
        #expect(!second.running.stderr.contains("Created administrator"))
        #expect(try await token(second, "root", Self.password).status == 200)
        #expect(try await token(second, "other", "another long way home").status != 200)
        try await second.stop()
    }

    @Test("is refused, and said so, where the administration is off or half of it is missing")
    func refused() async throws {
        let portico = try PorticoProcess()
        let named = ["KEYCLOAK_ADMIN": "root", "KEYCLOAK_ADMIN_PASSWORD": Self.password]
        let server = try await EarnestServer(in: portico, environment: named)
        #expect(server.running.stderr.contains("KEYCLOAK_ADMIN has no effect"))
        try await server.stop()
        let half = try portico.run(
            ["serve", "--listen", "127.0.0.1:0"] + Self.on,
            environment: ["PORTICO_ADMIN_USERNAME": "root"]
        )
        #expect(half.status == 2)
        #expect(half.stderr.contains("PORTICO_ADMIN_PASSWORD is not"))
        let short = try portico.run(
            ["serve", "--listen", "127.0.0.1:0"] + Self.on,
            environment: ["KEYCLOAK_ADMIN": "admin", "KEYCLOAK_ADMIN_PASSWORD": "admin"]
        )
        #expect(short.status != 0)
        #expect(
            short.stderr.contains("The password in KEYCLOAK_ADMIN_PASSWORD is refused. (refused)")
        )
    }
}
