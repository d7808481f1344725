import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("The line of each request in the log") struct AccessLineTests {
    private func line(_ path: String, _ server: ProviderUnderTest) -> String {
        server.log.split(separator: "\n").last {
            $0.contains("message=request ") && $0.contains("path=\(path) ")
        }.map(String.init) ?? ""
    }

    @Test("WEB-LOG-2: it names the realm, and for what is refused the error")
    func refused() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let path = String.endpoint("auth")
        let served = try await browser.authorize(TestFlow.request())
        #expect(served.status == 200)
        #expect(line(path, server).contains("realm=test"))
        #expect(!line(path, server).contains("error="))

        // Neither has another trace: no one is told but the person.
        _ = try await browser.authorize(TestFlow.request("native1", [("client_id", "nobody")]))
        #expect(line(path, server).contains("realm=test error=invalid_request"))
        let redirect = ("redirect_uri", "https://evil.example/")
        _ = try await browser.authorize(TestFlow.request("native1", [redirect]))
        #expect(line(path, server).contains("realm=test error=invalid_request"))

        let token = String.endpoint("token")
        _ = try await server.token(
            [("grant_type", "client_credentials")],
            basic: ("machine", "wrong")
        )
        #expect(line(token, server).contains("realm=test error=invalid_client"))
        let form = [("execution", "forged"), ("username", "alice"), ("password", "x")]
        _ = try await browser.post("/realms/test/login-actions/authenticate", form)
        let forged = line("/realms/test/login-actions/authenticate", server)
        #expect(forged.contains("realm=test error="))
    }
}
