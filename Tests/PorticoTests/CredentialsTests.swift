import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("What an app has after a sign-in") struct CredentialsTests {
    /// What the provider's token endpoint answered last.
    private func recording(_ scene: Scene, _ change: @escaping @Sendable (inout JSONObject) -> Void)
        -> Locked<JSONObject>
    {
        let answered = Locked<JSONObject>([:])
        scene.provider.change { state in
            state.tokens = { json in
                var json = json
                change(&json)
                answered.withLock { $0 = json }
                return json
            }
        }
        return answered
    }

    @Test("SEED-KAPE-2: access, refresh and ID token are typed values, as the provider gave them")
    func present() async throws {
        let scene = Scene()
        let answered = recording(scene) { _ in }
        let session = try await scene.signIn()
        let given = answered.withLock { $0 }
        let credentials = try await session.credentials()
        #expect(credentials.accessToken == given.string("access_token"))
        #expect(credentials.refreshToken == given.string("refresh_token"))
        #expect(credentials.idToken == given.string("id_token"))
        #expect(credentials.idToken?.split(separator: ".").count == 3)
        #expect(session.isRefreshable)
        #expect(session.accessTokenExpiry == scene.clock.now + 300)
        #expect(session.scope == Scope(tokens: ["openid", "profile", "email"]))
        // After a refresh they are those of the refresh.
        scene.clock.advance(by: 400)
        let fresh = try await session.credentials()
        let second = answered.withLock { $0 }
        #expect(fresh.accessToken == second.string("access_token"))
        #expect(fresh.refreshToken == second.string("refresh_token"))
        #expect(fresh.accessToken != credentials.accessToken)
    }

    @Test("SEED-KAPE-2: what the provider leaves out is nil, and never an empty text")
    func missing() async throws {
        for value in [nil, JSONValue.null] {
            let scene = Scene()
            _ = recording(scene) { json in
                json["refresh_token"] = value
                json["expires_in"] = value
                json["scope"] = value
            }
            scene.provider.change { $0.claims = { $0.with("name", value).with("email", "") } }
            let session = try await scene.signIn()
            let credentials = try await session.credentials()
            #expect(credentials.refreshToken == nil)
            #expect(!credentials.accessToken.isEmpty && credentials.idToken?.isEmpty == false)
            #expect(!session.isRefreshable)
            #expect(session.user.name == nil && session.user.email == nil)
            #expect(session.user.givenName == nil)
            // The same holds after restoring the session.
            let again = try await scene.neighbour().credentials()
            #expect(again.refreshToken == nil && again.accessToken == credentials.accessToken)
        }
    }

    @Test(
        "SEED-KAPE-2: an empty text is no token: such an answer is none, and nothing is kept of it",
        arguments: ["access_token", "id_token"]
    )
    func empty(_ name: String) async throws {
        let scene = Scene()
        _ = recording(scene) { $0[name] = "" }
        #expect(await scene.failure() != nil)
        #expect(try await scene.storedRecord == nil)
        #expect(try await scene.storage.read() == nil)
    }

    @Test(
        "RFC 9068 §4: an access token is opaque to the app, whatever it looks like",
        arguments: [
            // An expired one without a signature, one of another issuer, and none at all.
            "eyJhbGciOiJub25lIn0.eyJleHAiOjF9.",
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL290aGVyLmV4YW1wbGUifQ.AAAA", "~", "a.b.c.d",
        ]
    )
    func opaque(_ token: String) async throws {
        let scene = Scene()
        _ = recording(scene) { $0["access_token"] = .string(token) }
        scene.provider.change { state in
            state.claims = {
                $0.with("at_hash", .string(SignatureAlgorithm.es256.leftHalfHash(of: token)))
            }
        }
        let session = try await scene.signIn()
        #expect(try await session.token() == token)
        #expect(session.accessTokenExpiry == scene.clock.now + 300)
        #expect(scene.provider.requests("/token").count == 1, "nothing in it asks for a refresh")
    }
}
