import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("serve: what portico events shows of a realm's clients") struct ServeEventsTests {
    @Test(
        "A client that is refused is shown with realm, name and reason, also by a server that stops"
    )
    func refused() async throws {
        try await EarnestServer.run { server in
            try await server.makeRealm(
                client: [
                    "--template", "web", "--redirect-uri", "https://shop.example.com/cb",
                    "--secret-file", "-",
                ],
                secret: "a secret of the shop, long enough"
            )
            func ask(_ client: String) async throws {
                let form = [
                    ("grant_type", "client_credentials"), ("client_id", client),
                    ("client_secret", "wrong"),
                ]
                let reply = try await server.request(
                    "POST",
                    "/realms/acme/protocol/openid-connect/token",
                    body: EarnestServer.form(form)
                )
                #expect(reply.status == 401)
                #expect(!reply.body.contains("secret"))
            }
            try await ask("shop")
            try await ask("shop")
            try await ask("nobody-of-that-name")
            try await server.stop()
            let lines = try server.command("events --kind client.refused --jsonl")
                .split(separator: "\n").map { try JSONObject(parsing: Array($0.utf8)) }
            #expect(lines.map { $0.string("client") } == ["shop", nil])
            #expect(lines.map { $0.string("reason") } == ["secret", "unknown_client"])
            #expect(
                lines.allSatisfy { $0.string("realm") == "acme" && $0.string("address") != nil }
            )
            let shown = try server.command(["events"])
            #expect(shown.contains("client.refused"))
            #expect(shown.contains("acme  shop  secret  127.0.0.1"))
            #expect(!shown.contains("nobody"))
        }
    }
}
