import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoAdministration
@testable import PorticoProvider

@Suite("Client registration")
struct ClientRegistrationTests {
    private func admit(
        _ client: Client,
        secret: ClientRegistration.Secret = .unchanged,
        schemes: [String: [String]] = [:],
        algorithms: Set<SignatureAlgorithm> = RealmCreation.firstAlgorithms,
        isImported: Bool = false
    ) throws -> ClientRegistration.Admission {
        try ClientRegistration(ring: try Fixture.ring())(
            client,
            secret: secret,
            schemes: schemes,
            algorithms: algorithms,
            isImported: isImported,
            random: .system
        )
    }

    private func refusal(
        of client: Client,
        algorithms: Set<SignatureAlgorithm> = RealmCreation.firstAlgorithms
    ) throws -> ClientRegistration.Refusal? {
        do {
            _ = try admit(client, algorithms: algorithms)
            return nil
        } catch let refusal as ClientRegistration.Refusal {
            return refusal
        }
    }

    @Test("RFC 8252 §7: a public client registers all three kinds of native redirect at once")
    func native() throws {
        let admission = try admit(Fixture.native())
        #expect(admission.client == Fixture.native())
        #expect(admission.warnings.isEmpty)
        #expect(admission.shownSecret == nil)
    }

    @Test(
        "attack A47: a redirect URI that others could receive, or that is no whole URI, is refused",
        arguments: [
            ("myapp:/cb", RedirectURI.Refusal.dotlessScheme),
            ("exp://192.168.178.95:8081", .dotlessScheme),
            ("https://app.example.com/*", .wildcard),
            ("https://*.example.com/cb", .wildcard),
            ("https://app.example.com/cb#f", .fragment),
            ("http://app.example.com/cb", .plainHTTP),
            ("javascript:alert(1)", .browsersScheme),
            ("/cb", .notAbsolute),
            ("http://localhost/cb", .localhost),
            ("http://localhost:1234/cb", .localhost),
            ("http://localhost:1234", .localhost),
            ("https:///cb", .noHost),
            ("https://app.example.com#", .fragment),
            ("com.example.app://cb", .authority),
            ("https://user@app.example.com/cb", .userInfo),
            ("https://app.example.com/\u{FF41}", .forbiddenCharacter),
        ]
    )
    func redirects(uri: String, expected: RedirectURI.Refusal) throws {
        for client in [Fixture.native(), Fixture.web()] {
            var client = client
            client.redirectURIs.append(RedirectURI(uri))
            let refusal = try refusal(of: client)
            let index = client.redirectURIs.count - 1
            #expect(refusal == .redirectURI(index: index, expected))
            #expect(refusal?.code.rawValue == "invalid_redirect_uri")
            #expect(refusal.map { "\($0.field)" } == "redirect_uris")
        }
    }

    @Test("RFC 6749 §3.1.2: redirect URIs without a path are absolute, and registered as they are")
    func pathless() throws {
        for text in ["https://app.example.com", "http://127.0.0.1:8000", "http://[::1]"] {
            for client in [Fixture.native(), Fixture.web()] {
                var client = client
                client.redirectURIs = [RedirectURI(text)]
                client.postLogoutRedirectURIs = [RedirectURI(text)]
                let admitted = try admit(client).client
                #expect(admitted.redirectURIs.map(\.text) == [text])
                #expect(admitted.postLogoutRedirectURIs.map(\.text) == [text])
            }
        }
        var client = Fixture.native()
        client.redirectURIs = [RedirectURI("http://localhost:8081")]
        client.isDevelopment = true
        #expect(try admit(client).client.redirectURIs.map(\.text) == ["http://localhost:8081"])
    }

    @Test("Decision 0031: the development switch admits what Expo Go registers, with a warning")
    func development() throws {
        var client = Fixture.native()
        client.redirectURIs = [RedirectURI("exp://192.168.178.95:8081")]
        client.isDevelopment = true
        #expect(try admit(client).warnings == [.development])
        client.redirectURIs = [RedirectURI("javascript:alert(1)")]
        #expect(try refusal(of: client) == .redirectURI(index: 0, .browsersScheme))
    }

    @Test("Decision 0164: an app of the backend is public and has exact redirects of whole apps")
    func handOff() throws {
        var app = Fixture.native()
        app.grantTypes = []
        app.handOff.form = .code
        #expect(try admit(app).warnings.isEmpty)
        app.redirectURIs = []
        #expect(try refusal(of: app) == .noRedirectURI)
        app.handOff.audiences = [.init(provider: "google", clientID: "a")]
        #expect(try refusal(of: app) == nil)
        app.redirectRule = .patterns
        #expect(try refusal(of: app) == .handOffByPattern)
        var server = Fixture.web()
        server.handOff.form = .code
        #expect(try refusal(of: server) == .handOffOfConfidential)
    }

    @Test(
        "Decisions 0013, 0164: only the compatibility mode has a scheme without a period, apart from the Provider"
    )
    func legacyScheme() throws {
        var app = Fixture.native()
        app.redirectURIs = [RedirectURI("myapp://auth")]
        app.isDevelopment = true
        app.handOff.form = .code
        #expect(try refusal(of: app) == .redirectURI(index: 0, .dotlessScheme))
        app.handOff.form = .sessionToken
        #expect(try admit(app).warnings.contains(.sessionInAddress))
        app.isDevelopment = false
        #expect(try refusal(of: app) == .redirectURI(index: 0, .dotlessScheme))
        app.grantTypes = []
        #expect(try refusal(of: app) == nil)
        for (text, refused) in [
            ("http://localhost/cb", RedirectURI.Refusal.localhost),
            ("javascript:alert(1)", .browsersScheme),
        ] {
            app.isDevelopment = true
            app.redirectURIs = [RedirectURI(text)]
            #expect(try refusal(of: app) == .redirectURI(index: 0, refused))
        }
    }

    @Test("RFC 6749 §3.1.2.2: the code grant needs a registered redirect URI")
    func noRedirect() throws {
        for client in [Fixture.native(), Fixture.web()] {
            var client = client
            client.redirectURIs = []
            #expect(try refusal(of: client) == .noRedirectURI)
            client.grantTypes = []
            #expect(try refusal(of: client) == nil)
        }
    }

    @Test("RFC 8252 §8.4, §8.5: a public client has no secret and no way to authenticate")
    func publicClient() throws {
        var client = Fixture.native()
        client.secret = Fixture.web().secret
        #expect(try refusal(of: client) == .publicClientWithSecret)
        for method in ClientAuthenticationMethod.allCases where method != .none {
            client = Fixture.native()
            client.authentication = method
            #expect(try refusal(of: client) == .publicClientAuthenticates)
        }
        #expect(throws: ClientRegistration.Refusal.publicClientWithSecret) {
            try admit(Fixture.native(), secret: .made)
        }
    }

    @Test("RFC 6749 §2.3: a confidential client has a way to authenticate and what that needs")
    func confidentialClient() throws {
        var client = Fixture.web()
        client.authentication = .none
        #expect(try refusal(of: client) == .confidentialClientWithoutMethod)
        client = Fixture.web()
        client.secret = nil
        #expect(try refusal(of: client) == .missingSecret)
        client.authentication = .clientSecretPost
        #expect(try refusal(of: client) == .missingSecret)
    }

    @Test("RFC 8252 §6: a public client uses PKCE; only an imported one may leave it out")
    func pkce() throws {
        var client = Fixture.native()
        client.codeProtection = .none
        #expect(try refusal(of: client) == .publicClientWithoutPKCE)
        #expect(try admit(client, isImported: true).warnings == [.pkceOptional])
        client = Fixture.web()
        client.codeProtection = .none
        #expect(try admit(client).warnings == [.pkceOptional])
    }

    @Test("RFC 6749 §4.4: client_credentials is for confidential clients only")
    func clientCredentials() throws {
        var client = Fixture.native()
        client.grantTypes.insert(.clientCredentials)
        #expect(try refusal(of: client) == .publicClientCredentials)
        client = Fixture.web()
        client.grantTypes = [.clientCredentials]
        client.redirectURIs = []
        #expect(try refusal(of: client) == nil)
    }

    @Test("RP-Initiated Logout §3.1: a confidential client returns to https, an app to its scheme")
    func postLogout() throws {
        var client = Fixture.web()
        client.postLogoutRedirectURIs = [RedirectURI("com.example.app:/bye")]
        #expect(try refusal(of: client) == .postLogoutScheme(index: 0))
        client.postLogoutRedirectURIs = [RedirectURI("http://app.example.com/bye")]
        #expect(try refusal(of: client) == .postLogoutRedirectURI(index: 0, .plainHTTP))
        client = Fixture.native()
        client.postLogoutRedirectURIs = [RedirectURI("com.example.app:/bye")]
        #expect(try refusal(of: client) == nil)
        client.postLogoutRedirectURIs.append(RedirectURI("https://app.example.com/*"))
        #expect(try refusal(of: client) == .postLogoutRedirectURI(index: 1, .wildcard))
    }

    @Test("RFC 7523 §3: private_key_jwt needs public keys that can verify, each of them")
    func keySet() throws {
        let key = try SigningKey(generating: .es256, keyID: "k1", random: .system)
        let good = JSONValue.object(key.verificationKey.jwk.object)
        var client = Fixture.web()
        client.secret = nil
        client.authentication = .privateKeyJWT
        client.keySet = ["keys": .array([good])]
        #expect(try refusal(of: client) == nil)

        let symmetric: JSONValue = ["kty": "oct", "k": "AAAA"]
        let sets: [JSONValue?] = [
            nil, "https://app.example.com/jwks", ["keys": []], ["keys": [symmetric]],
            ["keys": .array([good, symmetric])], ["keys": .array([good, good, "x"])],
        ]
        for set in sets {
            client.keySet = set
            #expect(try refusal(of: client) == .keySet)
        }
        client = Fixture.web()
        client.keySet = ["keys": .array([good])]
        #expect(try refusal(of: client) == .needlessKeySet)
    }

    @Test("RFC 6749 §10.10: a made secret has 256 bits, is shown once and kept as its hash")
    func madeSecret() throws {
        let admission = try admit(Fixture.web(), secret: .made)
        let shown = try #require(admission.shownSecret).reveal()
        #expect(Base64URL.decode(shown)?.count == 32)
        #expect(admission.client.secret == .hashed(Hash256(of: shown).bytes))
    }

    @Test("A chosen secret is kept sealed, and a short one is warned about")
    func chosenSecret() throws {
        let ring = try Fixture.ring()
        for (text, warnings) in [
            ("0123456789abcde", [ClientRegistration.Warning.shortSecret]),
            ("0123456789abcdef", []),
        ] {
            let admission = try ClientRegistration(ring: ring)(
                Fixture.web(),
                secret: .chosen(SecretText(text)),
                schemes: [:],
                algorithms: RealmCreation.firstAlgorithms,
                random: .system
            )
            #expect(admission.warnings == warnings)
            #expect(admission.shownSecret == nil)
            let kept = try #require(admission.client.secret)
            guard case .sealed(let sealed) = kept else {
                Issue.record("It is not sealed.")
                continue
            }
            #expect(!sealed.contains(text))
            let seal = ClientSecretSeal(ring: ring)
            #expect(seal.isRight(SecretText(text), for: kept, of: admission.client))
            #expect(!seal.isRight(SecretText(text + "!"), for: kept, of: admission.client))
        }
        for text in ["", "naïve secret of a person", "tab\tin a secret", "secret\n"] {
            #expect(throws: ClientRegistration.Refusal.secret) {
                try admit(Fixture.web(), secret: .chosen(SecretText(text)))
            }
        }
    }

    @Test(
        "Fetch §3.2: a web origin is spelled as browsers send it, and is never a wildcard or null",
        arguments: [
            ("https://app.example.com", true), ("https://app.example.com:8443", true),
            ("http://127.0.0.1:3000", true), ("https://app.example.com/", false),
            ("https://app.example.com:443", false), ("https://APP.example.com", false),
            ("http://app.example.com", false), ("http://localhost:3000", false), ("*", false),
            ("null", false), ("+", false), ("https://*.example.com", false),
            ("https://u@app.example.com", false), ("https://app.example.com?x", false), ("", false),
        ]
    )
    func webOrigins(origin: String, isAllowed: Bool) throws {
        var client = Fixture.web()
        client.webOrigins = [origin]
        #expect(try refusal(of: client) == (isAllowed ? nil : .webOrigin(index: 0)))
    }

    @Test("Web origins of redirect URIs leave out paths, default ports and private-use schemes")
    func originsOfRedirects() {
        let uris = [
            "https://app.example.com:443/cb", "https://app.example.com/other",
            "com.example.app:/cb",
            "http://127.0.0.1:5000/cb",
        ]
        #expect(
            WebOrigin.origins(of: uris.map(RedirectURI.init))
                == ["https://app.example.com", "http://127.0.0.1:5000"]
        )
    }

    @Test("RFC 6749 §3.3: a scope token is one token of allowed characters")
    func scopes() throws {
        for token in ["", "two words", "quo\"te", "back\\slash", "ünicode", "tab\t"] {
            var client = Fixture.web()
            client.optionalScopes = [token]
            #expect(try refusal(of: client).map { "\($0.field)" } == "optional_scopes")
        }
        for token in ["openid", "offline_access", "device_sso"] {
            var client = Fixture.web()
            client.defaultScopes = [token]
            #expect(try refusal(of: client).map { "\($0.field)" } == "default_scopes")
        }
    }

    @Test("RFC 6749 appendix A.1: a client_id is visible ASCII, and a name shows as it reads")
    func names() throws {
        for clientID in ["", "two words", "ünicode", "line\n", String(repeating: "a", count: 201)] {
            var client = Fixture.web()
            client.clientID = clientID
            #expect(try refusal(of: client) == .clientID)
        }
        for name in ["line\nbreak", "right\u{202E}left", "nul\u{0}", "\u{2028}"] {
            var client = Fixture.web()
            client.name = name
            #expect(try refusal(of: client) == .name)
        }
    }

    @Test("RFC 6750 §5.3: an access token lives a day at most; over an hour is warned about")
    func lifetimes() throws {
        var client = Fixture.web()
        for lifetime: Int64 in [.min, -1, 0, 9, 86_401, .max] {
            client.accessTokenLifetime = lifetime
            #expect(try refusal(of: client).map { "\($0.field)" } == "access_token_lifetime")
        }
        client.accessTokenLifetime = 3600
        #expect(try admit(client).warnings.isEmpty)
        client.accessTokenLifetime = 3601
        #expect(try admit(client).warnings == [.longAccessToken])
        client = Fixture.web()
        client.takesTokenEndpointAudience = true
        #expect(try admit(client).warnings == [.tokenEndpointAudience])
    }

    @Test("OpenID Connect Core §2: no mapper writes a claim that the protocol gives a meaning")
    func mappers() throws {
        for claim in ["sub", "aud", "exp", "sid", ""] {
            var client = Fixture.web()
            client.mappers = [ClaimMapper(.fixedClaim("x"), claim)]
            #expect(try refusal(of: client) == .mapper(index: 0))
        }
    }

    @Test("RFC 8252 §7.1: two apps of a realm that share a private-use scheme are warned about")
    func sharedScheme() throws {
        let schemes = ["com.example.app": [Fixture.native().clientID, "native2"]]
        #expect(
            try admit(Fixture.native(), schemes: schemes).warnings
                == [.sharedScheme(scheme: "com.example.app", clientID: "native2")]
        )
    }

    @Test(
        "OIDCBCL-2.2-1: a logout URI is https; http for a confidential client here only",
        arguments: [
            ("https://app.example.com/logout", true, true),
            ("https://app.example.com:8443/logout?a=b", true, true),
            ("https://10.0.0.7/logout", true, true),
            ("http://127.0.0.1:8080/logout", false, true),
            ("http://[::1]:8080/logout", false, true),
            ("http://localhost:8080/logout", false, false),
            ("http://app.example.com/logout", false, false),
            ("http://10.0.0.7/logout", false, false),
            ("http://127.0.0.2/logout", false, false),
        ]
    )
    func schemes(uri: String, forPublic: Bool, forConfidential: Bool) throws {
        for (base, isAdmitted) in [
            (Fixture.native(), forPublic),
            (Fixture.web(), forConfidential),
        ] {
            var client = base
            client.backchannelLogoutURI = HTTPAddress(uri)
            #expect(client.backchannelLogoutURI != nil)
            let refusal = try refusal(of: client)
            #expect(refusal == (isAdmitted ? nil : .backchannelLogoutURI))
            #expect(
                refusal.map { "\($0.field)" } ?? "backchannel_logout_uri"
                    == "backchannel_logout_uri"
            )
        }
    }

    @Test(
        "OIDCBCL-2.2-1: a logout URI is absolute and has no fragment",
        arguments: [
            "/logout", "app.example.com/logout", "//app.example.com/logout",
            "https://app.example.com/logout#x", "https://app.example.com/logout#",
            "https://user@app.example.com/logout", "com.example.app:/logout", "javascript:alert",
            "https:///logout", "",
        ]
    )
    func shapes(uri: String) {
        #expect(HTTPAddress(uri) == nil)
    }

    @Test("OIDCBCL-2.2-1: a logout URI's length is limited; sid is for notified clients only")
    func bounds() throws {
        var client = Fixture.web()
        client.backchannelLogoutURI = HTTPAddress(
            "https://app.example.com/" + String(repeating: "a", count: 2000)
        )
        #expect(try refusal(of: client) == .backchannelLogoutURI)
        client.backchannelLogoutURI = nil
        client.backchannelLogoutSessionRequired = true
        #expect(try refusal(of: client) == .backchannelLogoutSession)
        client.backchannelLogoutURI = HTTPAddress("https://app.example.com/logout")
        #expect(try refusal(of: client) == nil)
    }

    @Test("an algorithm that the realm has no active key of is refused, for either token")
    func algorithms() throws {
        for algorithm in SignatureAlgorithm.allCases {
            var client = Fixture.web()
            client.idTokenAlgorithm = algorithm
            let others = Set(SignatureAlgorithm.allCases).subtracting([algorithm])
            #expect(try refusal(of: client, algorithms: [algorithm]) == nil)
            #expect(try refusal(of: client, algorithms: others) == .idTokenAlgorithm(algorithm))
            client.idTokenAlgorithm = nil
            client.accessTokenAlgorithm = algorithm
            #expect(try refusal(of: client, algorithms: [algorithm]) == nil)
            #expect(try refusal(of: client, algorithms: others) == .accessTokenAlgorithm(algorithm))
            #expect(try refusal(of: client, algorithms: []) == .accessTokenAlgorithm(algorithm))
        }
        // What names none follows the realm, which has a key of its own algorithm.
        #expect(try refusal(of: Fixture.web(), algorithms: []) == nil)
    }

    @Test("a key signs from its time on, and until it is retired")
    func active() throws {
        let maker = SigningKeyMaker(ring: try Fixture.ring())
        let moment = Moment(now: .init(timeIntervalSince1970: 1_000), random: .system)
        var retired = try maker.make(.es256, realmID: "r", activeFrom: 500, at: moment)
        retired.retiredFrom = 900
        let keys = [
            retired,
            try maker.make(.rs256, realmID: "r", activeFrom: 1_000, at: moment),
            try maker.make(.edDSA, realmID: "r", activeFrom: 1_001, at: moment),
        ]
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 499) == [])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 500) == [.es256])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 899) == [.es256])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 1_000) == [.rs256])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 1_001) == [.rs256, .edDSA])
    }

    @Test(
        "WEB-INPUT-1: what mappers write into every token has bounds",
        arguments: [
            (ClaimMapper(.realmRoles(prefix: ""), text(200)), true),
            (ClaimMapper(.realmRoles(prefix: ""), text(513)), false),
            (ClaimMapper(.realmRoles(prefix: ""), ""), false),
            (ClaimMapper(.clientRoles(of: text(200), prefix: ""), "a"), true),
            (ClaimMapper(.clientRoles(of: text(2049), prefix: ""), "a"), false),
            (ClaimMapper(.clientRoles(of: "", prefix: ""), "a"), false),
            (ClaimMapper(.attribute(text(2049), aggregates: false), "a"), false),
            (ClaimMapper(.attribute("", aggregates: false), "a"), false),
            (ClaimMapper(.fixedClaim(.string(text(2000))), "a"), true),
            (ClaimMapper(.fixedClaim(.string(text(17_000))), "a"), false),
            (ClaimMapper(.audience(text(1000))), true),
            (ClaimMapper(.audience(text(2049))), false),
            (ClaimMapper(.audience("")), false),
        ]
    )
    func mapperBounds(mapper: ClaimMapper, isAdmitted: Bool) throws {
        var client = Fixture.web()
        client.mappers = [mapper]
        #expect(try refusal(of: client) == (isAdmitted ? nil : .mapper(index: 0)))
        client.mappers = Array(repeating: ClaimMapper(.realmRoles(prefix: ""), "a"), count: 101)
        #expect(try refusal(of: client) == .tooManyMappers)
    }

    private static func text(_ length: Int) -> String { String(repeating: "a", count: length) }
}
