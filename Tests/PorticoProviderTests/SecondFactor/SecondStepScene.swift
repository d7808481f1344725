import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores
import PorticoTestSupport
import Testing

/// A Provider where alice has an app and recovery codes, as an import brings them, and bob has
/// neither.
struct SecondStepScene {
    let server: ProviderUnderTest
    let app: OneTimePassword
    let recoveryCodes: [String]

    static let request = TestFlow.request("native1")
    static let secret = SecretText(#"{"value":"d9TWI6sTaqt0CNLc7qrE"}"#)
    static let parameters: JSONObject = [
        "type": "otp", "subType": "totp", "digits": 6, "period": 30, "algorithm": "HmacSHA1",
    ]

    /// A factor of a person's, as an import brings it.
    static func factor(
        _ kind: Credential.Kind = .totp,
        of personID: String,
        _ secret: SecretText = Self.secret,
        _ parameters: JSONObject = Self.parameters,
        label: String = ""
    ) -> Credential {
        let id = UniqueID(random: .system).text
        return Credential(
            id: id,
            personID: personID,
            kind: kind,
            label: label,
            createdAt: 0,
            priority: 0,
            parameters: parameters,
            sealedSecret: CredentialSeal(ring: TestRealm.ring)
                .seal(secret, of: id, random: .system)
        )
    }

    init(
        kinds: [Credential.Kind] = [.totp, .recoveryCodes],
        parameters: JSONObject = Self.parameters,
        sendsMail: Bool = false,
        elsewhere: SignInElsewhere = .nowhere,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws {
        let made = RecoveryCodes.make(.system)
        server = try await ProviderUnderTest(sendsMail: sendsMail, elsewhere: elsewhere) { new in
            for kind in kinds {
                let isApp = kind != .recoveryCodes
                new.people[0].credentials.append(
                    Self.factor(
                        kind,
                        of: new.people[0].person.id,
                        isApp ? Self.secret : made.secret,
                        isApp ? parameters : made.parameters,
                        label: "phone"
                    )
                )
            }
            configure(&new)
        }
        app = try #require(OneTimePassword(Self.parameters, secret: Self.secret))
        recoveryCodes = made.codes
    }

    /// What alice's app shows.
    var code: String { code(0) }

    /// What it shows `periods` later.
    func code(_ periods: Int64) -> String {
        app.code(at: server.clock.seconds / 30 + periods)
    }

    /// Never right.
    var wrong: String {
        let right = (-3...3).map { code($0) }
        return ["000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777"]
            .first { !right.contains($0) } ?? ""
    }

    /// The page that asks for the code, after the right password.
    func asked(_ browser: TestBrowser, _ request: [(String, String)] = Self.request) async throws
        -> Reply
    {
        let page = try await browser.signIn("alice", request)
        expectAsked(page)
        #expect(!browser.cookies.keys.contains { $0.contains("session") })
        return page
    }

    /// Bits and steps that are spent.
    func used(_ kind: Credential.Kind) async throws -> Int64 {
        let person = try await server.person().person
        let all = try await server.database.people
            .secondFactors(of: person.id, realmID: person.realmID)
        return try #require(all.first { $0.kind == kind }).used
    }
}

func expectAsked(_ page: Reply, _ location: SourceLocation = #_sourceLocation) {
    #expect(page.hiddenFields.contains { $0.name == "proof" }, sourceLocation: location)
    #expect(page.text.contains(#"name="code""#), sourceLocation: location)
    #expect(page.location == nil, sourceLocation: location)
}
