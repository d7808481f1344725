import Foundation
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("A realm's own host, served") struct RealmHostServeTests {
    @Test("decision 0059: a running server serves a realm at its own host, and nothing else there")
    func serves() async throws {
        try await DemoServer.run { server in
            let port = server.port
            let path = "/.well-known/oauth-authorization-server"
            let before = await RawExchange.get(path, host: "pds.localhost:\(port)", port: port)
            #expect(before?.status == 421)
            try server.portico.done([
                "realm", "create", "hosted", "--public-url", server.url, "--host",
                "http://pds.localhost:\(port)", "--data-directory", "demo",
            ])
            var found = ""
            try await waitUntil("it is there") {
                let reply = await RawExchange.get(path, host: "pds.localhost:\(port)", port: port)
                found = reply?.body ?? ""
                return reply?.status == 200
            }
            let document = try JSONObject(parsing: Array(found.utf8))
            let issuer = "http://pds.localhost:\(port)"
            #expect(document.string("issuer") == issuer)
            let token = "\(issuer)/realms/hosted/protocol/openid-connect/token"
            #expect(document.string("token_endpoint") == token)
            for other in ["/realms/demo/account", "/login", "/v1/auth/session", "/_outbox"] {
                let reply = await RawExchange.get(other, host: "pds.localhost:\(port)", port: port)
                #expect(reply?.status == 404, "\(other)")
                let own = await RawExchange.get(other, host: "127.0.0.1:\(port)", port: port)
                #expect(own?.status != 404, "\(other)")
            }
            let elsewhere = await RawExchange.get(path, host: "127.0.0.1:\(port)", port: port)
            #expect(elsewhere?.status == 404)
        }
    }
}
