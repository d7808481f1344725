import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("An administrator's password for a token") struct AdminPasswordGrantTests {
    private struct Scene {
        let admin: AdminUnderTest
        let root: Person

        /// - Parameter configure: Changes `root`, who administers `master`.
        init(
            hasMaster: Bool = true,
            takesPasswords: Bool = true,
            hashing: PasswordHashing = TestRealm.hashing,
            configure: (inout NewPerson) -> Void = { _ in }
        ) async throws {
            admin = try await AdminUnderTest(
                hasMaster: hasMaster,
                takesPasswords: takesPasswords,
                hashing: hashing
            )
            root = try await admin.makeMaster { new in
                new.person.email = "root@example.com"
                configure(&new)
            }
        }

        func grants() throws -> Int64 {
            try admin.server.database.database.read { reader in
                try reader.first("SELECT count(*) FROM grants", []) { try $0.int64(0) } ?? -1
            }
        }
    }

    private static func factor(_ kind: Credential.Kind, of person: NewPerson) -> Credential {
        let made = RecoveryCodes.make(.system)
        let id = UniqueID(random: .system).text
        return Credential(
            id: id,
            personID: person.person.id,
            kind: kind,
            label: "phone",
            createdAt: 0,
            priority: 0,
            parameters: made.parameters,
            sealedSecret: CredentialSeal(ring: TestRealm.ring)
                .seal(made.secret, of: id, random: .system)
        )
    }

    @Test("attack: the right password of an administrator with a second factor gives no token")
    func secondFactor() async throws {
        for (kind, isEnough) in [
            (Credential.Kind.totp, false), (.recoveryCodes, false), (.other, true),
        ] {
            let scene = try await Scene { new in
                new.credentials = [Self.factor(kind, of: new)]
            }
            let before = try scene.grants()
            let reply = try await scene.admin.rootGrant()
            #expect((reply.json["access_token"] != nil) == isEnough, "\(kind)")
            #expect(reply.error == (isEnough ? nil : "invalid_grant"), "\(kind)")
            #expect(try scene.grants() == before + (isEnough ? 1 : 0), "\(kind)")
        }
    }

    @Test("attack: nor does one who has to do something first, or is disabled")
    func demands() async throws {
        let changes: [(inout NewPerson) -> Void] = [
            { $0.person.requiredActions = [RequiredAction.configureTOTP] },
            { $0.person.requiredActions = [RequiredAction.verifyEmail] },
            { $0.person.isEnabled = false },
        ]
        for (index, change) in changes.enumerated() {
            let scene = try await Scene(configure: change)
            let before = try scene.grants()
            #expect(try await scene.admin.rootGrant().error == "invalid_grant", "\(index)")
            #expect(try scene.grants() == before, "\(index)")
        }
    }

    @Test("WEB-BRUTE-1: a password that could not be judged, for want of a place, is no wrong one")
    func busy() async throws {
        let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
        let scene = try await Scene(hashing: full)
        for number in 1...8 {
            let reply = try await scene.admin.rootGrant()
            #expect(reply.status == 503 && reply.error == "busy", "\(number)")
        }
        await full.shutDown()
    }

    @Test("the password grant and the reach of master are two settings")
    func settings() async throws {
        let without = try await Scene(takesPasswords: false)
        #expect(try await without.admin.rootGrant().error == "unsupported_grant_type")
        let alone = try await Scene(hasMaster: false)
        let token = try #require(try await alone.admin.rootGrant().json.string("access_token"))
        #expect(try await alone.admin.send(.get, "/users", by: token).status == 403)
        let own = try await alone.admin.send(.get, "/admin/realms/master/users", by: token)
        #expect(own.status == 200)
    }
}
