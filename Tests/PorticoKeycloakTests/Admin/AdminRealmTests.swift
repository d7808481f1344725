import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// The realm itself, by the administration over HTTP.
@Suite("The realm by the administration") struct AdminRealmTests {
    @Test("attack: with few rights no one ends all sessions by the realm, and no one undoes it")
    func notBefore() async throws {
        let admin = try await AdminUnderTest(["manage-realm", "realm-admin"])
        let ruler = try await admin.token("manage-realm")
        let root = try await admin.token("realm-admin")
        let now = admin.server.clock.seconds
        for body in [
            #"{"notBefore": \#(now - 10)}"#, #"{"notBefore": \#(now + 86_400)}"#,
            #"{"enabled": false}"#,
        ] {
            #expect(try await admin.send(.put, "", body, by: ruler).status == 403, "\(body)")
        }
        func kept() async throws -> Realm {
            let realms = try await admin.server.database.realms.snapshot().realms
            return try #require(realms.first { $0.name == "acme" })
        }
        let untouched = try await kept()
        #expect(untouched.notBefore == 0 && untouched.isEnabled)
        // A time to come would lock everyone out until then.
        let late = #"{"notBefore": \#(now + 86_400)}"#
        #expect(try await admin.send(.put, "", late, by: root).status == 204)
        #expect(try await kept().notBefore == now)
        for token in [ruler, root] {
            let reply = try await admin.send(.put, "", #"{"notBefore": 0}"#, by: token)
            #expect(reply.status == 204, "\(reply.text)")
            #expect(try await kept().notBefore == now)
        }
        #expect(try await admin.send(.get, "", by: root).json.int64("notBefore") == now)
    }

    @Test("RP-Initiated Logout §2: a change of the realm does not let bare requests sign out")
    func signOut() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let realms = admin.server.database.realms
        for isOn in [false, true] {
            var realm = try #require(
                try await realms.snapshot().realms.first { $0.name == "acme" }
            )
            realm.signsOutByHintAlone = isOn
            #expect(try await realms.update(realm) == .changed)
            try await admin.server.provider.realms.refresh()
            let name = #"{"displayName": "Acme \#(isOn)"}"#
            #expect(try await admin.send(.put, "", name, by: root).status == 204)
            let kept = try await realms.snapshot().realms.first { $0.name == "acme" }
            #expect(kept?.signsOutByHintAlone == isOn && kept?.displayName == "Acme \(isOn)")
        }
    }
}
