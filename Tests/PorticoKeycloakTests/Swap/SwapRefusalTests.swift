import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

/// Each token differs from one that is swapped in one thing.
@Suite("Refresh tokens of the server before that are refused") struct SwapRefusalTests {
    typealias Changes = [String: JSONValue?]

    /// - Parameter reason: As it is counted; `nil`: it is no such token at all.
    private func expectRefused(
        _ claims: JSONObject,
        _ reason: String,
        in scene: SwapScene,
        by client: String = "app"
    ) async throws {
        let reply = try await scene.swap(claims, client)
        #expect(reply.status == 400, "\(reason)")
        #expect(reply.error == "invalid_grant", "\(reason): \(reply.text)")
        // Whatever the reason, the client is told the same.
        #expect(
            reply.json.string("error_description")
                == "The refresh token is unknown, expired or revoked."
        )
        #expect(try await scene.counts()[reason] == 1, "\(reason)")
        #expect(scene.server.log.contains("reason=\(reason)"), "\(reason)")
    }

    static let table: [(String, Changes)] = [
        ("issuer", ["iss": "https://old.example/realms/other"]),
        ("issuer", ["iss": "https://old.example/realms/garden/"]),
        ("issuer", ["aud": "https://op.example.com/realms/garden"]),
        ("issuer", ["aud": .array([.string(SwapScene.issuer), "https://other.example"])]),
        ("issuer", ["aud": nil]),
        ("type", ["typ": "Bearer"]), ("type", ["typ": "ID"]), ("type", ["typ": "refresh"]),
        ("type", ["typ": "Logout"]), ("type", ["typ": nil]),
        ("malformed", ["jti": nil]), ("malformed", ["jti": ""]),
        ("malformed", ["jti": .string(String(repeating: "j", count: 256))]),
        ("malformed", ["sid": nil]), ("malformed", ["azp": 5]),
        ("malformed", ["sub": 5]), ("malformed", ["sub": ""]), ("malformed", ["iat": nil]),
        ("malformed", ["exp": "tomorrow"]), ("malformed", ["scope": "a\u{7F}b"]),
        ("client", ["azp": "beside"]), ("client", ["azp": "nobody"]),
        ("expired", ["exp": 1_800_000_000]), ("expired", ["exp": nil]),
        ("not_yet_valid", ["iat": 1_800_000_061]),
        ("bound", ["cnf": ["jkt": "thumbprint"]]),
        ("unknown_person", ["sub": "11111111-0000-4000-8000-00000000000f"]),
        ("disabled", ["sub": .string(SwapScene.ben)]),
        ("not_before", ["sub": .string(SwapScene.cat), "iat": 1_799_999_399]),
    ]

    @Test(
        "decision 0051: a token that is wrong in one claim is refused",
        arguments: SwapRefusalTests.table.indices
    )
    func claims(_ index: Int) async throws {
        let (reason, changes) = Self.table[index]
        let scene = try await SwapScene()
        try await expectRefused(scene.claims(changes), reason, in: scene)
        #expect(try await scene.swap(scene.claims()).status == 200)
    }

    @Test("decision 0051: at the edge it is swapped")
    func edges() async throws {
        let scene = try await SwapScene()
        for changes: Changes in [
            ["exp": 1_800_000_001], ["iat": 1_800_000_060], ["iat": 1_799_999_400],
            ["sub": .string(SwapScene.cat), "iat": 1_799_999_400],
        ] {
            #expect(try await scene.swap(scene.claims(changes)).status == 200)
        }
    }

    @Test("decision 0051: what was issued before the notBefore of realm or client is refused")
    func notBefore() async throws {
        let scene = try await SwapScene(realm: { $0.realm.notBefore = SwapScene.now - 300 })
        #expect(try await scene.swap(scene.claims()).status == 200)
        try await expectRefused(
            scene.claims(["iat": .integer(scene.now - 301)]),
            "not_before",
            in: scene
        )
        let other = try await SwapScene()
        let late = other.claims(["azp": "late", "iat": .integer(other.now - 601)])
        try await expectRefused(late, "not_before", in: other, by: "late")
        let right = other.claims(["azp": "late", "iat": .integer(other.now - 600)])
        #expect(try await other.swap(right, "late").status == 200)
    }

    /// What names no key of the realm is not counted: anyone can send it.
    @Test("decision 0051: a token of other keys or algorithms is none")
    func signatures() async throws {
        let scene = try await SwapScene()
        let claims = scene.claims()
        let good = SwapScene.sign(claims)
        let parts = good.split(separator: ".").map(String.init)
        func header(_ alg: String, _ kid: String?) -> JSONObject {
            var header: JSONObject = ["alg": .string(alg), "typ": "JWT"]
            header["kid"] = kid.map(JSONValue.string)
            return header
        }
        let unknown = [
            SwapScene.sign(claims, header: header("HS512", "k999")),
            SwapScene.sign(claims, header: header("HS512", nil)),
            SwapScene.sign(claims, header: header("none", "k512")),
            SwapScene.sign(claims, header: header("RS256", "k512")),
            SwapScene.sign(claims, header: header("hs512", "k512")),
            // A key that was disabled there.
            SwapScene.sign(claims, header: header("HS512", "off")),
            parts[0] + "." + parts[1], good + ".", good + ".a.b", " " + good, good + "=",
            parts[0] + "." + parts[1] + "." + parts[2].dropLast() + "!",
            good + String(repeating: "A", count: 40_000),
        ]
        for token in unknown {
            #expect(try await scene.swap(token).error == "invalid_grant")
        }
        #expect(try await scene.counts().isEmpty)

        var altered = claims
        altered["sub"] = .string(SwapScene.cat)
        let wrong = [
            // By another algorithm than the key's, though with its secret.
            SwapScene.sign(claims, header: header("HS256", "k512")),
            SwapScene.sign(claims, header: header("HS512", "k256"), with: SwapScene.shorter),
            SwapScene.sign(claims, with: SwapScene.shorter),
            parts[0] + "." + Base64URL.encode(altered.serialized()) + "." + parts[2],
            parts[0] + "." + parts[1] + "." + Base64URL.encode(Array(repeating: 0, count: 64)),
            parts[0] + "." + parts[1] + "." + parts[2].prefix(44),
            parts[0] + "." + parts[1] + ".",
        ]
        for (index, token) in wrong.enumerated() {
            #expect(try await scene.swap(token).error == "invalid_grant", "\(index)")
            #expect(try await scene.counts()["signature"] == Int64(index + 1), "\(index)")
        }
        #expect(try await scene.swap(good).status == 200, "it was not used up")
    }

    @Test("decision 0051: a token of another realm is refused, though the key is the same")
    func otherRealm() async throws {
        let scene = try await SwapScene(swap: { $0.issuer = "https://old.example/realms/twin" })
        try await expectRefused(scene.claims(), "issuer", in: scene)
    }

    @Test("decision 0051: a client that is unknown, disabled or made here is refused")
    func clients() async throws {
        let scene = try await SwapScene(realm: { new in
            for index in new.clients.indices {
                switch new.clients[index].clientID {
                case "app": new.clients[index].isMoved = false
                case "beside": new.clients[index].isEnabled = false
                case "late": new.clients[index].grantTypes = [.authorizationCode]
                default: break
                }
            }
        })
        try await expectRefused(scene.claims(), "client", in: scene)
        let beside = try await scene.swap(scene.claims(["azp": "beside"]), "beside")
        #expect(beside.error == "invalid_client")
        let nobody = try await scene.swap(scene.claims(["azp": "nobody"]), "nobody")
        #expect(nobody.error == "invalid_client")
        let late = try await scene.swap(scene.claims(["azp": "late"]), "late")
        #expect(late.error == "unauthorized_client")
        let stolen = SwapScene.sign(scene.claims(["azp": "web"]))
        #expect(try await scene.swap(stolen, "asked").error == "invalid_grant")
    }

    @Test("decision 0051: an offline token that is on no list is refused, unless that is allowed")
    func unlisted() async throws {
        let scene = try await SwapScene()
        try await expectRefused(scene.offline(), "unlisted", in: scene)
        let claims = scene.offline()
        // A session of another kind, of another client, or of another person.
        var online = claims
        online["typ"] = "Refresh"
        try await scene.list(online)
        try await scene.list(claims, for: "beside")
        #expect(try await scene.swap(claims).error == "invalid_grant")
        try await scene.list(claims, of: SwapScene.cat)
        #expect(try await scene.swap(claims).error == "invalid_grant")
        try await scene.list(claims)
        #expect(try await scene.swap(claims).status == 200)

        let lax = try await SwapScene(swap: { $0.takesUnlistedOffline = true })
        #expect(try await lax.swap(lax.offline()).status == 200)
    }

    @Test("decision 0051: with a list, a session that was used before it was made must be on it")
    func listedSessions() async throws {
        let scene = try await SwapScene(swap: { $0.listedUntil = SwapScene.now - 300 })
        try await expectRefused(scene.claims(), "unlisted", in: scene)
        let listed = scene.claims()
        try await scene.list(listed)
        #expect(try await scene.swap(listed).status == 200)
        // It may have begun after the list was made.
        let later = scene.claims(["iat": .integer(scene.now - 299)])
        #expect(try await scene.swap(later).status == 200)
    }

    @Test("decision 0051: offline access that the client has no more is not given")
    func withoutOfflineAccess() async throws {
        let scene = try await SwapScene(swap: { $0.takesUnlistedOffline = true })
        let claims = scene.offline(["azp": "plain"])
        try await expectRefused(claims, "scope", in: scene, by: "plain")
    }

    @Test("decision 0051: what the person did not allow the client is not given")
    func consent() async throws {
        let scene = try await SwapScene()
        // Nobody is asked for `acr`.
        let allowed = scene.claims(["azp": "asked", "scope": "openid basic profile acr"])
        #expect(try await scene.swap(allowed, "asked").status == 200)
        let more = scene.claims(["azp": "asked", "scope": "openid basic profile email"])
        try await expectRefused(more, "consent", in: scene, by: "asked")
        let other = scene.claims([
            "azp": "asked", "scope": "profile", "sub": .string(SwapScene.cat),
        ])
        #expect(try await scene.swap(other, "asked").error == "invalid_grant")
    }

    @Test("RFC 6749 §6: the scope is cut to what was granted")
    func scope() async throws {
        let scene = try await SwapScene()
        let token = SwapScene.sign(scene.claims(["scope": "openid profile"]))
        let reply = try await scene.swap(token, [("scope", "openid offline_access")])
        #expect(reply.json.string("scope") == "openid profile")
    }
}

extension SwapScene {
    fileprivate func swap(_ token: String, _ more: [(String, String)]) async throws -> Reply {
        try await swap(token, "app", key: nil, more)
    }
}
