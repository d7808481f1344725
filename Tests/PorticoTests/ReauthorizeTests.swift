import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Requests that an app sends by other means")
struct ReauthorizeTests {
    private func scene(dpop: Bool = false) async throws -> (Scene, Session) {
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        options.dpop = dpop
        let scene = Scene(options: options)
        if dpop {
            scene.provider.change {
                $0.tokens = { usual in
                    var all = usual
                    all["token_type"] = "DPoP"
                    return all
                }
            }
        }
        return (scene, try await scene.signIn())
    }

    private func request(_ authority: String = "api.example.com", _ path: String = "/notes")
        -> HTTPRequest
    {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
    }

    private static let refused = HTTPResponse(
        status: .unauthorized,
        headerFields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]
    )

    @Test("RFC 9700 §4.10: a request that has become one to another origin gets no second token")
    func otherOrigin() async throws {
        let (scene, session) = try await scene()
        var sent = request()
        try await session.http.authorize(&sent)
        for (authority, path, hint) in [
            ("evil.example", "/notes", .originNotAllowed),
            ("api.example.com:8443", "/notes", .originNotAllowed),
            ("api.example.com", "/notes?access_token=x", .tokenInQuery),
        ] as [(String, String, SignInError.Hint)] {
            var other = request(authority, path)
            other.headerFields[.authorization] = sent.headerFields[.authorization]
            let before = other
            await #expect(throws: SignInError(.misconfigured(hint))) {
                try await session.http.reauthorize(&other, after: Self.refused)
            }
            #expect(other == before)
        }
        #expect(scene.provider.generation == 0)
    }

    @Test("RFC 6750 §3.1: a refused token is replaced once, and what is no refusal changes nothing")
    func replaced() async throws {
        let (scene, session) = try await scene()
        var sent = request()
        try await session.http.authorize(&sent)
        for response in [
            HTTPResponse(status: .ok), HTTPResponse(status: .unauthorized),
            HTTPResponse(status: .forbidden, headerFields: [.wwwAuthenticate: "Basic"]),
        ] {
            let before = sent
            #expect(try await !session.http.reauthorize(&sent, after: response))
            #expect(sent == before)
        }
        #expect(try await session.http.reauthorize(&sent, after: Self.refused))
        #expect(sent.headerFields[values: .authorization] == ["Bearer A3"])
        #expect(scene.provider.generation == 1)
        // The first one, refused again by an API that answers late: the new one is there already.
        var late = request()
        late.headerFields[.authorization] = "Bearer A2"
        #expect(try await session.http.reauthorize(&late, after: Self.refused))
        #expect(late.headerFields[.authorization] == "Bearer A3")
        #expect(scene.provider.generation == 1)
    }

    @Test("What the app put into the field itself is its own")
    func foreignField() async throws {
        let (scene, session) = try await scene()
        for field in [nil, "Basic YTpi", "bearer A2", "DPoP A2", "A2"] as [String?] {
            var sent = request()
            sent.headerFields[.authorization] = field
            #expect(try await !session.http.reauthorize(&sent, after: Self.refused))
            #expect(sent.headerFields[.authorization] == field)
        }
        #expect(scene.provider.generation == 0)
    }

    @Test(
        "RFC 9449 §7.1: a bound token goes with a proof of its own for each request, never as Bearer"
    )
    func bound() async throws {
        let (_, session) = try await scene(dpop: true)
        var one = request()
        one.headerFields[.authorization] = "Basic YTpi"
        one.headerFields[.dpop] = "own"
        try await session.http.authorize(&one)
        #expect(one.headerFields[values: .authorization] == ["DPoP A2"])
        let proof = try #require(one.headerFields[values: .dpop].first)
        #expect(one.headerFields[values: .dpop].count == 1 && proof != "own")
        let claims = try JWT(parsing: proof).uncheckedClaims()
        #expect(claims.string("htu") == "https://api.example.com/notes")
        #expect(claims.string("htm") == "GET" && claims.string("ath") != nil)
        // A Bearer in the same field is not this session's.
        var other = request()
        other.headerFields[.authorization] = "Bearer A2"
        #expect(try await !session.http.reauthorize(&other, after: Self.refused))
    }

    @Test(
        "Plain http is for this machine, and only where the app says so",
        arguments: [true, false]
    )
    func insecureLoopback(isAllowed: Bool) async throws {
        var options = SignInClient.Options()
        options.allowInsecureLoopback = isAllowed
        options.apiOrigins = ["http://127.0.0.1:8080", "http://api.example.com"]
        let session = try await Scene(options: options).signIn()
        var here = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:8080",
            path: "/notes"
        )
        let failed = await kind { try await session.http.authorize(&here) }
        #expect(failed == (isAllowed ? nil : .misconfigured(.originNotAllowed)))
        var there = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "api.example.com",
            path: "/notes"
        )
        #expect(
            await kind { try await session.http.authorize(&there) }
                == .misconfigured(.originNotAllowed)
        )
        #expect(there.headerFields[.authorization] == nil)
    }

    private func kind(_ action: () async throws -> Void) async -> SignInError.Kind? {
        do {
            try await action()
            return nil
        } catch {
            return (error as? SignInError)?.kind
        }
    }
}
