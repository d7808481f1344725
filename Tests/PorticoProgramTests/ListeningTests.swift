import PorticoWeb
import Testing

@testable import PorticoProgram

@Suite("Where the server listens") struct ListeningTests {
    @Test(
        "decision 0036: plain http listens on loopback, or behind a named proxy",
        arguments: [
            ("127.0.0.1:8080", nil, nil), ("127.0.0.2:8080", nil, nil), ("[::1]:8080", nil, nil),
            ("0.0.0.0:8080", nil, .listenExposed), ("[::]:8080", nil, .listenExposed),
            ("192.0.2.1:8080", nil, .listenExposed), ("0.0.0.0:8080", "10.0.0.0/8", nil),
        ] as [(String, String?, Problem?)]
    )
    func listening(text: String, proxy: String?, expected: Problem?) throws {
        var settings = Settings(dataDirectory: "")
        settings.listen = try #require(ListenAddress(text))
        settings.publicURL = try PublicURL("https://id.example.com")
        settings.trustedProxies = proxy.map { [$0] } ?? []
        var problem: Problem?
        do throws(Failure) {
            try settings.checkForServing()
        } catch {
            problem = error.problem
        }
        #expect(problem == expected)
    }

    @Test("a name is no address to listen on: what it means may change")
    func names() {
        #expect(ListenAddress("localhost:8080") == nil)
    }
}
