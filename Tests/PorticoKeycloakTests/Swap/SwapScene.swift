import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

/// A server that the realm `garden` has moved to, and tokens as the server before made them.
struct SwapScene {
    static let issuer = "https://old.example/realms/garden"
    static let ann = "11111111-0000-4000-8000-000000000001"
    static let ben = "11111111-0000-4000-8000-000000000002"
    static let cat = "11111111-0000-4000-8000-000000000003"
    static let webSecret = "a secret of the client web, long enough"
    /// When it is; the tokens of clients and people with a `notBefore` are from ten minutes before.
    static let now: Int64 = 1_800_000_000
    static let secret = Array(repeating: UInt8(7), count: 64)
    static let shorter = Array(repeating: UInt8(9), count: 64)

    let server: ProviderUnderTest
    var now: Int64 { server.clock.seconds }

    /// - Parameters:
    ///   - database: Of a server that was stopped; `nil`: a new one.
    ///   - swap: Changes what is swapped.
    init(
        database: TestDatabase? = nil,
        clock: StoppedClock = StoppedClock(),
        realm configure: (inout NewRealm) -> Void = { _ in },
        swap: (inout TokenSwap) -> Void = { _ in }
    ) async throws {
        var new = try await Self.realm
        var tokens = TokenSwap(issuer: Self.issuer, closesAt: Self.now + 2_592_000)
        swap(&tokens)
        new.realm.tokenSwap = tokens
        configure(&new)
        let kept = try database ?? TestDatabase.inMemory()
        if database == nil { #expect(try await kept.realms.create(new) == .created) }
        server = try await ProviderUnderTest(database: kept, clock: clock)
    }

    static var realm: NewRealm {
        get async throws { try await imported.value }
    }

    /// Read once: its signing keys take long to make.
    private static let imported = Task {
        let imported = try await RealmImportTests.read(file, ring: TestRealm.ring)
        return try #require(imported.first).realm
    }

    private static let file = """
        {
            "realm": "garden", "enabled": true,
            "clients": [
                \(client("app", #""publicClient": true"#)),
                \(client("beside", #""publicClient": true"#)),
                \(client("web", #""secret": "\#(webSecret)""#)),
                \(client("pair", #""publicClient": true, "protocolMappers": [\#(pairwise)]"#)),
                \(client("asked", #""publicClient": true, "consentRequired": true"#)),
                \(client("late", #""publicClient": true, "notBefore": \#(now - 600)"#)),
                \(client("plain", #""publicClient": true"#, optional: ""))
            ],
            "users": [
                {
                    "id": "\(ann)", "username": "ann", "enabled": true,
                    "clientConsents": [
                        {"clientId": "asked", "grantedClientScopes": ["profile"]}
                    ]
                },
                {"id": "\(ben)", "username": "ben", "enabled": false},
                {"id": "\(cat)", "username": "cat", "enabled": true, "notBefore": \(now - 600)}
            ],
            "components": {"org.keycloak.keys.KeyProvider": [
                \(key("k512", "HS512", secret)), \(key("k256", "HS256", shorter)),
                \(key("off", "HS512", secret, #", "enabled": ["false"]"#))
            ]}
        }
        """

    private static let pairwise = """
        {
            "name": "pair", "protocol": "openid-connect",
            "protocolMapper": "oidc-sha256-pairwise-sub-mapper",
            "config": {"pairwiseSubAlgorithmSalt": "salt of the test"}
        }
        """

    private static func client(
        _ id: String,
        _ members: String,
        optional: String = #""offline_access", "email""#
    ) -> String {
        """
        {
            "clientId": "\(id)", "redirectUris": ["https://\(id).example/cb"],
            "standardFlowEnabled": true, \(members),
            "defaultClientScopes": ["basic", "profile", "roles", "acr"],
            "optionalClientScopes": [\(optional)]
        }
        """
    }

    private static func key(
        _ id: String,
        _ algorithm: String,
        _ secret: [UInt8],
        _ more: String = ""
    ) -> String {
        """
        {
            "name": "\(id)", "providerId": "hmac-generated", "config": {
                "kid": ["\(id)"], "algorithm": ["\(algorithm)"],
                "secret": ["\(Base64URL.encode(secret))"] \(more)
            }
        }
        """
    }

    /// The claims of a refresh token that Ann's app got five minutes ago; `nil` takes one away.
    func claims(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
        var claims: JSONObject = [
            "exp": .integer(now + 1500), "iat": .integer(now - 300),
            "jti": .string(RandomSource.system.text(16)), "iss": .string(Self.issuer),
            "aud": .string(Self.issuer), "sub": .string(Self.ann), "typ": "Refresh", "azp": "app",
            "sid": .string(RandomSource.system.text(18)),
            "scope": "openid basic profile roles acr hidden", "aud_x": "account", "prov": "default",
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    /// An offline token of the same.
    func offline(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
        let offline: [String: JSONValue?] = [
            "typ": "Offline", "exp": nil,
            "scope": "openid basic profile roles acr offline_access",
        ]
        return claims(offline.merging(changes) { _, change in change })
    }

    static func sign(
        _ claims: JSONObject,
        header: JSONObject = ["alg": "HS512", "typ": "JWT", "kid": "k512"],
        with secret: [UInt8] = SwapScene.secret
    ) -> String {
        let input =
            Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        let key = SymmetricKey(data: secret)
        let code =
            header.string("alg") == "HS256"
            ? Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: key))
            : Array(HMAC<SHA512>.authenticationCode(for: Array(input.utf8), using: key))
        return input + "." + Base64URL.encode(code)
    }

    static func path(_ endpoint: String) -> String {
        "/realms/garden/protocol/openid-connect/" + endpoint
    }

    /// - Parameter key: The `Idempotency-Key`.
    func swap(
        _ token: String,
        _ client: String = "app",
        key: String? = nil,
        _ more: [(String, String)] = []
    ) async throws -> Reply {
        var headers: HTTPFields = [:]
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        return try await server.post(
            Self.path("token"),
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)]
                + more,
            headers: headers
        )
    }

    func swap(_ claims: JSONObject, _ client: String = "app") async throws -> Reply {
        try await swap(Self.sign(claims), client)
    }

    /// Puts sessions on the list of those that were alive.
    func list(_ claims: JSONObject, of person: String = SwapScene.ann, for client: String? = nil)
        async throws
    {
        let realm = try #require(
            try await server.database.realms.snapshot().realms.first { $0.name == "garden" }
        )
        try await server.database.grants.list(
            [
                ListedSession(
                    sessionID: claims.string("sid") ?? "",
                    isOffline: claims.string("typ") == "Offline",
                    clientID: client ?? claims.string("azp") ?? "",
                    personID: person,
                    startedAt: now - 4000
                )
            ],
            realmID: realm.id,
            at: now
        )
    }

    /// How often each outcome is in the trail: the reasons of refusals, and what else became of tokens.
    func counts() async throws -> [String: Int64] {
        try await server.provider.trail.flush(into: server.database.events)
        var query = EventQuery()
        query.kinds = [.swapped, .swapRepeated, .swapRefused, .swapReplayed]
        return try await server.database.events.counts(query).reduce(into: [:]) {
            let outcome = $1.reason ?? String($1.kind.rawValue.dropFirst("token_swap.".count))
            $0[outcome, default: 0] += $1.count
        }
    }

    func userInfo(_ reply: Reply) async throws -> Reply {
        try await server.send(
            .get,
            Self.path("userinfo"),
            headers: [.authorization: "Bearer " + (reply.json.string("access_token") ?? "")]
        )
    }
}

extension Reply {
    var refreshToken: String { json.string("refresh_token") ?? "" }

    /// The claims of a token of the answer.
    func claims(_ token: String) throws -> JSONObject {
        let text = try #require(json.string(token))
        return try JWT(parsing: text, limit: 16_384).uncheckedClaims()
    }
}
