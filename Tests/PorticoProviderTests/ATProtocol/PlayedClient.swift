import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// A client of another server's, at our Provider in that server's place: it sends what it sent there,
/// with new proofs, made of the same members by none of our own code. What the other server had given
/// it is exchanged for what ours gave.
final class PlayedClient {
    static let host = "pds.example.com"
    static let issuer = "https://pds.example.com"

    /// How a request proves a key.
    struct Proof {
        /// Each name is a key.
        var key = "one"
        var hasNonce = true
    }

    let server: ProviderUnderTest
    let sites: DocumentSites
    private let browser: TestBrowser
    private let clientKey = P256.Signing.PrivateKey()
    private var keys: [String: P256.Signing.PrivateKey] = [:]
    private var given: [String: String] = [:]
    private var nonce: String?
    private var count = 0
    /// What the browser shows.
    private(set) var page: Reply?

    /// - Parameters:
    ///   - did: Alice's.
    ///   - handle: Alice's, too.
    init(did: String, handle: String, at time: Date? = nil) async throws {
        let sites = DocumentSites()
        let server = try await ProviderUnderTest(
            clock: time.map { StoppedClock(at: $0.timeIntervalSince1970) } ?? StoppedClock(),
            documentsBy: sites
        ) { new in
            new.realm.issuer = PlayedClient.issuer
            new.realm.profile = .atProtocol(resource: PlayedClient.issuer)
            for index in new.people.indices where new.people[index].person.username == "alice" {
                new.people[index].person.attributes["did"] = [did]
                new.people[index].person.attributes["handle"] = [handle]
            }
        }
        self.sites = sites
        self.server = server
        browser = TestBrowser(server, at: Self.host)
    }

    /// - Parameter keys: What is at the document's `jwks_uri`; ``publicKey`` by default.
    func publish(_ document: JSONObject, keys: JSONObject? = nil) throws {
        sites[try #require(document.string("client_id"))] = DocumentSites.Answer(document)
        guard let address = document.string("jwks_uri") else { return }
        sites[address] = DocumentSites.Answer(keys ?? ["keys": [.object(publicKey)]])
    }

    /// Of the key that signs assertions here.
    var publicKey: JSONObject {
        var key = Self.jwk(clientKey)
        key["kid"] = "app-key-1"
        return key
    }

    /// - Parameters:
    ///   - path: Of the endpoint, which is that of real hosts.
    ///   - form: An assertion that is none is the `jti` of one that is made here.
    ///   - answer: Of the other server: what stands in it is known from now on.
    func post(
        _ path: String,
        _ form: [(String, String)],
        proof: Proof?,
        answered answer: JSONObject = [:]
    ) async throws -> Reply {
        let body = FormEncoding.encode(try form.map { (name: $0.0, value: try own($0, of: form)) })
        let type = "application/x-www-form-urlencoded"
        let reply = try await post(path, body, type: type, proof: proof)
        for name in ["request_uri", "access_token", "refresh_token"] {
            if let there = answer.string(name) { given[there] = reply.json.string(name) }
        }
        return reply
    }

    func post(_ path: String, _ body: [UInt8], type: String?, proof: Proof?) async throws
        -> Reply
    {
        // Of an address of its own each: limits are for an address.
        count += 1
        var fields = HTTPFields()
        fields[.contentType] = type
        if let proof { fields[.proof] = try text(of: proof, at: path) }
        let reply = try await server.send(
            .post,
            path,
            headers: fields,
            body: body,
            host: Self.host,
            from: "198.51.\(count / 200).\(count % 200)"
        )
        let nonces = reply.headers[values: .nonce]
        #expect(nonces.count == 1)
        nonce = nonces.last
        return reply
    }

    private func own(_ parameter: (String, String), of form: [(String, String)]) throws -> String {
        let (name, value) = parameter
        guard name == "client_assertion" else { return given[value] ?? value }
        guard !value.contains(".") else { return value }
        let client = form.first { $0.0 == "client_id" }?.1 ?? ""
        return try Self.signed(
            ["alg": "ES256", "kid": "app-key-1"],
            [
                "iss": .string(client), "sub": .string(client), "aud": .string(Self.issuer),
                "jti": .string(value), "iat": .integer(server.clock.seconds),
                "exp": .integer(server.clock.seconds + 60),
            ],
            by: clientKey
        )
    }

    private func text(of proof: Proof, at path: String) throws -> String {
        let key = keys[proof.key] ?? P256.Signing.PrivateKey()
        keys[proof.key] = key
        var claims: JSONObject = [
            "iat": .integer(server.clock.seconds), "jti": .string(RandomSource.system.text(8)),
            "htm": "POST",
            "htu": .string(Self.issuer + path),
        ]
        if proof.hasNonce { claims["nonce"] = nonce.map { .string($0) } }
        let header: JSONObject = ["alg": "ES256", "typ": "dpop+jwt", "jwk": .object(Self.jwk(key))]
        return try Self.signed(header, claims, by: key)
    }

    private static func jwk(_ key: P256.Signing.PrivateKey) -> JSONObject {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point.prefix(32)))),
            "y": .string(Base64URL.encode(Array(point.suffix(32)))),
        ]
    }

    private static func signed(
        _ header: JSONObject,
        _ claims: JSONObject,
        by key: P256.Signing.PrivateKey
    ) throws -> String {
        let input = [header, claims].map { Base64URL.encode($0.serialized()) }
            .joined(separator: ".")
        let signature = try key.signature(for: Array(input.utf8))
        return input + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }
}

/// The browser.
extension PlayedClient {
    func authorize(_ parameters: [(String, String)]) async throws -> Reply {
        show(try await browser.authorize(parameters.map { ($0.0, given[$0.1] ?? $0.1) }))
    }

    func signIn() async throws -> Reply {
        let password = TestRealm.passwords["alice"] ?? ""
        return try await submit([("username", "alice"), ("password", password)])
    }

    func submit(_ fields: [(String, String)]) async throws -> Reply {
        show(try await browser.submit(try #require(page), fields))
    }

    /// The code that the browser brings is the one that the other server gave as `code`.
    func callback(_ code: String) throws -> [String: String] {
        let answer = try #require(page).redirected
        given[code] = answer["code"]
        return answer
    }

    private func show(_ reply: Reply) -> Reply {
        page = reply
        return reply
    }
}
