import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// A realm that is a host of the AT Protocol, for accounts at another address, with two people who have
/// DIDs there, and a client whose document is at ``url``.
struct ATScene {
    static let url = "https://app.example.com/client.json"
    static let redirect = "https://app.example.com/callback"
    static let issuer = "https://as.example.com"
    static let resource = "https://pds.example.com"
    static let dids = [
        "alice": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "bob": "did:plc:44ybard66vv44zksje25o7dz",
    ]
    static let keys = "https://keys.example.net/jwks.json"

    let server: ProviderUnderTest
    let sites = DocumentSites()
    let app: Prover
    let document: JSONObject
    /// What a confidential client signs with.
    let key: SigningKey
    /// Each code has one of its own.
    private let verifiers = Locked<[String: String]>([:])

    static let publicClient: JSONObject = [
        "client_id": .string(url), "redirect_uris": [.string(redirect)],
        "scope": "atproto transition:generic transition:chat.bsky",
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "application_type": "web", "dpop_bound_access_tokens": true, "client_name": "The best app",
    ]

    /// - Parameters:
    ///   - changes: In the document; `null` takes a member away.
    ///   - isConfidential: Whether the client authenticates with ``key``.
    ///   - sendsMail: Whether the outbox is emptied: then forgotten passwords can be replaced.
    ///   - configure: It may make of it any other realm, with a host of its own.
    init(
        _ changes: JSONObject = [:],
        isConfidential: Bool = false,
        database: TestDatabase? = nil,
        sendsMail: Bool = false,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws {
        let key = try SigningKey(generating: .es256, keyID: "one", random: .system)
        var document = Self.publicClient
        if isConfidential {
            document["token_endpoint_auth_method"] = "private_key_jwt"
            document["token_endpoint_auth_signing_alg"] = "ES256"
            document["jwks"] = ["keys": [.object(key.verificationKey.jwk.object)]]
        }
        document = document.merging(changes)
        self.document = document
        self.key = key
        sites[Self.url] = DocumentSites.Answer(document)
        server = try await ProviderUnderTest(
            database: database,
            documentsBy: sites,
            sendsMail: sendsMail
        ) { new in
            new.realm.issuer = Self.issuer
            new.realm.profile = .atProtocol(resource: Self.resource)
            for index in new.people.indices {
                let name = new.people[index].person.username
                new.people[index].person.attributes["did"] = Self.dids[name].map { [$0] }
                new.people[index].person.attributes["handle"] = [name + ".example.com"]
            }
            configure(&new)
        }
        app = try Prover(server)
    }

    /// Replaces the document at the client's address.
    func publish(_ changes: JSONObject) {
        sites[Self.url] = DocumentSites.Answer(document.merging(changes))
    }

    /// The same document for clients at other addresses.
    func serve(_ urls: [String]) {
        for url in urls {
            sites[url] = DocumentSites.Answer(document.merging(["client_id": .string(url)]))
        }
    }

    /// The rest of a form that a confidential client authenticates with; nothing for a public one.
    func proof(by key: SigningKey? = nil, _ changes: JSONObject = [:]) throws -> [(String, String)]
    {
        guard document.string("token_endpoint_auth_method") == "private_key_jwt" else { return [] }
        return try assertion(by: key, changes)
    }

    func assertion(by key: SigningKey? = nil, _ changes: JSONObject = [:]) throws
        -> [(String, String)]
    {
        let claims: JSONObject = [
            "iss": .string(Self.url), "sub": .string(Self.url), "aud": .string(Self.issuer),
            "iat": .integer(server.clock.seconds - 10),
            "exp": .integer(server.clock.seconds + 60),
            "jti": .string(RandomSource.system.text(16)),
        ]
        return [
            TestFlow.assertionType,
            (
                "client_assertion",
                try (key ?? self.key).sign(claims: claims.merging(changes), type: .jwt)
            ),
        ]
    }

    /// A pushed request; `changes` replace, and an empty value removes, a parameter.
    func request(_ changes: [(String, String)] = []) -> [(String, String)] {
        TestFlow.change(
            [
                ("client_id", Self.url), ("response_type", "code"),
                ("redirect_uri", Self.redirect), ("scope", "atproto transition:generic"),
                ("state", #"{"made":"by an app"}"#), ("code_challenge", TestFlow.challenge),
                ("code_challenge_method", "S256"),
            ],
            changes
        )
    }

    /// Pushed without a proof of possession, as real servers take it.
    func push(_ changes: [(String, String)] = [], proof: [(String, String)]? = nil) async throws
        -> Reply
    {
        try await server.post(
            server.path(of: "ext/par/request"),
            request(changes) + (proof ?? self.proof())
        )
    }

    /// The page or redirect that follows a request, which alice has signed in for.
    func signIn(
        _ changes: [(String, String)] = [],
        as name: String = "alice",
        _ browser: TestBrowser? = nil
    ) async throws -> Reply {
        let browser = browser ?? TestBrowser(server)
        return try await browser.signIn(name, try await reference(changes))
    }

    /// What the browser brings to the authorization endpoint.
    func reference(_ changes: [(String, String)] = []) async throws -> [(String, String)] {
        let pushed = try await push(changes)
        let uri = try #require(pushed.json.string("request_uri"), "\(pushed.text)")
        let client = request(changes).first { $0.0 == "client_id" }?.1 ?? ""
        return [("client_id", client), ("request_uri", uri)]
    }

    func code(_ changes: [(String, String)] = [], as name: String = "alice") async throws -> String
    {
        let browser = TestBrowser(server)
        let verifier = RandomSource.system.text(32)
        let challenge = Base64URL.encode(Hash256(of: verifier).bytes)
        let page = try await signIn([("code_challenge", challenge)] + changes, as: name, browser)
        let answer = try await browser.submit(page, [("action", "allow")])
        let code = try #require(answer.redirected["code"], "\(answer.status) \(answer.text)")
        verifiers.withLock { $0[code] = verifier }
        return code
    }

    func redeem(
        _ code: String,
        _ changes: [(String, String)] = [],
        proof: [(String, String)]? = nil,
        by prover: Prover? = nil
    ) async throws -> Reply {
        let form = TestFlow.change(
            [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", Self.url),
                ("redirect_uri", Self.redirect),
                ("code_verifier", verifiers.withLock { $0[code] } ?? TestFlow.verifier),
            ],
            changes
        )
        return try await (prover ?? app).post("token", form + (proof ?? self.proof()))
    }

    func tokens(_ changes: [(String, String)] = [], as name: String = "alice") async throws -> Reply
    {
        try await redeem(try await code(changes, as: name))
    }

    func refresh(_ token: String, proof: [(String, String)]? = nil) async throws -> Reply {
        let form = [
            ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", Self.url),
        ]
        return try await app.post("token", form + (proof ?? self.proof()))
    }
}

extension JSONObject {
    /// With these members, too; `null` takes one away.
    func merging(_ changes: JSONObject) -> JSONObject {
        var merged = self
        for (name, value) in changes {
            merged[name] = value == .null ? Optional.none : .some(value)
        }
        return merged
    }
}
