import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: what holds for everyone") struct ImportedSettingsTests {
    @Test("What the file does not say is as Keycloak has it; what it says holds")
    func flags() async throws {
        let plain = try await ImportSample.realm(#""displayName": "R""#)
        #expect(!plain.realm.realm.allowsPasswordReset && !plain.realm.realm.confirmsEmail)
        let said = try await ImportSample.realm(
            #""resetPasswordAllowed": true, "verifyEmail": true, "loginWithEmailAllowed": false"#
        )
        let realm = said.realm.realm
        #expect(realm.allowsPasswordReset && realm.confirmsEmail && !realm.signsInWithEmail)
        #expect(said.report.says(.read, "verifyEmail", "send mail"))
        #expect(plain.realm.realm.registration == nil && realm.registration == nil)
        let open = try await ImportSample.realm(#""registrationAllowed": true"#)
        #expect(open.realm.realm.registration == .username)
        #expect(open.report.says(.read, "registrationAllowed", "prove their address"))
        let byEmail = #""registrationEmailAsUsername": true"#
        #expect(try await ImportSample.realm(byEmail).realm.realm.registration == nil)
        let both = try await ImportSample.realm(#""registrationAllowed": true, "# + byEmail)
        #expect(both.realm.realm.registration == .email)
        let shut = try await RealmImportTests.read(#"{"realm": "r", "enabled": false}"#)
        #expect(!shut[0].realm.realm.isEnabled)
        #expect(shut[0].report.says(.read, "enabled", "disabled"))
    }

    @Test(
        "people delete themselves where the file says so, or says nothing of required actions",
        arguments: [
            (#""displayName": "R""#, true), (#""requiredActions": []"#, true),
            (#""requiredActions": [{"alias": "VERIFY_EMAIL", "enabled": true}]"#, false),
            (#""requiredActions": [{"alias": "delete_account", "enabled": false}]"#, false),
            (#""requiredActions": [{"alias": "delete_account", "enabled": true}]"#, true),
        ]
    )
    func deletion(_ member: String, _ isAllowed: Bool) async throws {
        #expect(try await ImportSample.realm(member).realm.realm.allowsDeletion == isAllowed)
    }

    @Test("Lifetimes are cut to what is allowed here, and said so")
    func lifetimes() async throws {
        let fields: [(String, any KeyPath<Realm.Lifetimes, Int64> & Sendable, Int64, Int64)] = [
            ("accessTokenLifespan", \.accessToken, 10, 86_400),
            ("accessCodeLifespan", \.code, 10, 600),
            ("ssoSessionIdleTimeout", \.sessionIdle, 60, 31_536_000),
            ("ssoSessionMaxLifespan", \.sessionMaximum, 60, 31_536_000),
            ("offlineSessionIdleTimeout", \.offlineIdle, 60, 315_360_000),
        ]
        for (said, isReported) in [
            (Int64.max, true), (1, true), (-1, true), (67, false), (0, false),
        ] {
            let members = fields.map { #""\#($0.0)": \#(said)"# }
            let imported = try await ImportSample.realm(members.joined(separator: ", "))
            for (name, path, least, most) in fields {
                let expected =
                    said == 0 ? Realm.Lifetimes()[keyPath: path] : min(max(said, least), most)
                #expect(
                    imported.realm.realm.lifetimes[keyPath: path] == expected,
                    "\(name) \(said)"
                )
                #expect(imported.report.says(.changed, name, "out of bounds") == isReported)
            }
        }
    }

    @Test("Offline access has a last day only where the file says that it has one")
    func offlineMaximum() async throws {
        for (flag, expected) in [("true", 864_000), ("false", nil)] as [(String, Int64?)] {
            let imported = try await ImportSample.realm(
                """
                "offlineSessionMaxLifespanEnabled": \(flag), "offlineSessionMaxLifespan": 864000
                """
            )
            #expect(imported.realm.realm.lifetimes.offlineMaximum == expected)
        }
        let missing = try await ImportSample.realm(#""offlineSessionMaxLifespan": 864000"#)
        #expect(missing.realm.realm.lifetimes.offlineMaximum == nil)
    }

    @Test("An algorithm of the realm that is not known here becomes RS256, and is told of")
    func algorithm() async throws {
        for name in ["HS256", "none", "ES512"] {
            let imported = try await ImportSample.realm(#""defaultSignatureAlgorithm": "\#(name)""#)
            #expect(imported.realm.realm.signingAlgorithm == .rs256)
            #expect(imported.report.says(.changed, "defaultSignatureAlgorithm", "RS256"))
            #expect(imported.realm.keys.contains { $0.algorithm == .rs256 })
        }
    }

    @Test("Decision 0036: no address in the file makes an issuer")
    func issuer() async throws {
        let imported = try await ImportSample.realm(
            #""attributes": {"frontendUrl": "https://evil.example"}"#
        )
        #expect(imported.realm.realm.issuer == "https://op.example.com/realms/r")
        #expect(imported.report.says(.skipped, "attributes", "public URL"))
    }
}
