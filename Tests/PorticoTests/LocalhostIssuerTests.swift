import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// Takes every request, and says which.
private final class TakingTransport: HTTPTransport {
    private let taken = Locked<[String]>([])

    var requests: [String] { taken.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        taken.withLock { $0.append(request.address?.text ?? "") }
        return HTTPReply(response: HTTPResponse(status: .ok), body: [])
    }
}

@Suite("A provider on localhost") struct LocalhostIssuerTests {
    private func http(_ transport: TakingTransport, _ addresses: [[UInt8]]) -> ProviderHTTP {
        ProviderHTTP(
            transport: transport,
            localhost: LocalhostName(resolver: ScriptedNames(addresses)),
            now: { Date() }
        )
    }

    @Test("RFC 6761 §6.3: whatever the transport, nothing is sent to a localhost that is elsewhere")
    func elsewhere() async throws {
        let transport = TakingTransport()
        let limits = HTTPLimits(bytes: 1, seconds: 1)
        for url in ["http://localhost:8080/token", "http://op.localhost/token"] {
            await #expect(throws: SignInError(.misconfigured(.localhostElsewhere))) {
                try await http(transport, [.loopback4, [192, 0, 2, 1]])
                    .post(url, form: [("code", "c")], limits: limits, check: .answerTooLarge)
            }
            #expect(transport.requests.isEmpty)
        }
        let here = TakingTransport()
        _ = try await http(here, [.loopback6])
            .get("http://localhost:8080/", limits: limits, check: .answerTooLarge)
        #expect(here.requests == ["http://localhost:8080/"])
    }

    @Test("Decision 0036: http on localhost is for who allows it")
    func allowed() async {
        for issuer in ["http://localhost:8080", "http://op.localhost:8080/realms/demo"] {
            let strict = Scene(issuer: issuer)
            await #expect(throws: SignInError(.misconfigured(.issuerInsecure))) {
                try await strict.client.provider()
            }
            // It gets as far as the metadata, which are another issuer's.
            let lenient = Scene(issuer: issuer, options: .allowInsecureLoopback)
            await #expect(throws: SignInError.self) { try await lenient.client.provider() }
            let path = HTTPAddress(issuer).map { $0.path + "/.well-known/openid-configuration" }
            #expect(lenient.provider.requests(path ?? "").count == 1)
        }
    }

    @Test("attack H16: a localhost that is elsewhere is not handed to a browser")
    func browser() async throws {
        let folder = try TemporaryFolder()
        let program = try folder.script(#"touch "$(dirname "$0")/started""#)
        let elsewhere = LocalhostName(resolver: ScriptedNames([[192, 0, 2, 1]]))
        await #expect(throws: SignInError(.misconfigured(.localhostElsewhere))) {
            try await SystemBrowser(named: program, localhost: elsewhere)
                .open("http://localhost:8080/auth")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/started"))
        try await SystemBrowser(
            named: program,
            localhost: LocalhostName(resolver: ScriptedNames([.loopback4]))
        ).open("http://localhost:8080/auth")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/started"))
    }
}
