import Foundation
import HTTPTypes
import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProgram

/// What `doctor` finds in our own documents, fetched as hosts fetch them.
@Suite struct PublishedDocumentsTests {
    private static let origin = "https://app.example.com"
    private static let document = "\(origin)/oauth-client-metadata.json"
    private static let keySet = "\(origin)/oauth/jwks.json"

    /// Answers by address.
    private struct Answers: HTTPTransport {
        var replies: [String: Result<HTTPReply, HTTPTransportError>]

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            guard limits.seconds <= 10, let reply = replies[request.address?.text ?? ""] else {
                throw .unreachable
            }
            return try reply.get()
        }
    }

    private static func reply(
        _ body: [UInt8],
        _ code: Int = 200,
        type: String = "application/json"
    ) -> Result<HTTPReply, HTTPTransportError> {
        var response = HTTPResponse(status: .init(code: code))
        response.headerFields[.contentType] = type
        return .success(HTTPReply(response: response, body: body))
    }

    private static func client(
        isConfidential: Bool = true,
        _ origin: String = PublishedDocumentsTests.origin
    ) throws -> OwnClientDocument {
        try #require(
            OwnClientDocument(
                origin: origin,
                name: "Example",
                scope: try Scope("atproto transition:generic"),
                isConfidential: isConfidential
            )
        )
    }

    /// A key as it is stored, and as it is published.
    private static func key() throws -> (HandleClientKey, [UInt8]) {
        let clock = Clock { Date(timeIntervalSince1970: 1_800_000_000) }
        let key = try HandleClientKey.next(ring: KeyRing(random: .system), at: clock.moment())
        var jwk = try DPoPKey(random: .system).jwk.object
        jwk["kid"] = .string(key.keyID)
        let keys: JSONObject = ["keys": [.object(jwk)]]
        return (key, keys.serialized())
    }

    private func findings(
        _ client: OwnClientDocument,
        keys: [HandleClientKey] = [],
        _ replies: [String: Result<HTTPReply, HTTPTransportError>]
    ) async -> [Finding] {
        await PublishedDocuments(
            transport: ObservedTransport(Answers(replies: replies)) { Date() },
            rules: .production
        ).check(client, keys)
    }

    @Test("ATP-C-ID-1: documents that hosts take are found well, and a development client has none")
    func well() async throws {
        let client = try Self.client()
        let (key, published) = try Self.key()
        let found = await findings(
            client,
            keys: [key],
            [
                Self.document: Self.reply(client.json.serialized()),
                Self.keySet: Self.reply(published),
            ]
        )
        #expect(found.map(\.mark) == [.passed, .passed])
        let open = try Self.client(isConfidential: false)
        let publicOne = await findings(open, [Self.document: Self.reply(open.json.serialized())])
        #expect(publicOne.map(\.mark) == [.passed])
        let development = await findings(try Self.client("http://127.0.0.1:8080"), [:])
        #expect(development.map(\.mark) == [.note])
    }

    @Test("ATP-C-ID-1: whatever keeps a host from our document is said, with what mends it")
    func document() async throws {
        let client = try Self.client(isConfidential: false)
        var other = client.json
        other["client_id"] = "https://other.example.com/oauth-client-metadata.json"
        var older = client.json
        older["scope"] = "atproto"
        let good = client.json.serialized()
        let cases: [(Result<HTTPReply, HTTPTransportError>?, String, String)] = [
            (nil, "cannot be fetched", "portico serve"),
            (.failure(.refused), "not at a public address", "public IP address"),
            (.failure(.timedOut), "within ten seconds", "Ten minutes"),
            (.failure(.untrusted), "not trusted", "certificate"),
            (Self.reply(good, 308), "answers 308, and hosts follow no redirect", "itself"),
            (Self.reply(good, 404), "answers 404", "pass every path on"),
            (Self.reply(good, type: "text/html"), "is text/html", "Content-Type"),
            (Self.reply(Array("x".utf8)), "no document that hosts take: notJSON", "own"),
            (Self.reply(other.serialized()), "no document that hosts take: clientID", "own"),
            (Self.reply(older.serialized()), "has another scope", "older copy"),
        ]
        for (reply, text, fix) in cases {
            let found = await findings(client, reply.map { [Self.document: $0] } ?? [:])
            #expect(found.map(\.mark) == [.problem])
            #expect(found.first?.text.contains(text) == true, "\(found)")
            #expect(found.first?.text.hasPrefix(Self.document) == true)
            #expect(found.first?.fix?.contains(fix) == true, "\(found)")
        }
    }

    @Test("ATP-C-ID-1: a member of our document that is not as it is set up is named")
    func members() async throws {
        let client = try Self.client()
        let open = try Self.client(isConfidential: false)
        let (key, published) = try Self.key()
        let elsewhere = JSONValue.string("\(Self.origin)/elsewhere")
        func document(_ member: String, _ value: JSONValue) -> JSONObject {
            var json = client.json
            json[member] = value
            return json
        }
        let cases: [(JSONObject, String)] = [
            (document("redirect_uris", [elsewhere]), "redirect_uris"),
            (document("scope", "atproto"), "scope"),
            (document("jwks_uri", elsewhere), "jwks_uri"),
            // Without keys.
            (open.json, "token_endpoint_auth_method"),
        ]
        for (document, member) in cases {
            let found = await findings(
                client,
                keys: [key],
                [
                    Self.document: Self.reply(document.serialized()),
                    Self.keySet: Self.reply(published),
                ]
            )
            #expect(found.map(\.mark) == [.problem, .passed], "\(member)")
            #expect(found.first?.text.contains("has another \(member) than") == true, "\(found)")
        }
    }

    @Test("ATP-CA-6: doctor compares what is published with the keys that are stored")
    func stored() async throws {
        var settings = Settings(dataDirectory: "/nowhere")
        settings.publicURL = try PublicURL(Self.origin)
        let installation = try Installation.open(settings, missing: .pretend)
        let client = try Self.client()
        let (key, published) = try Self.key()
        var withdrawn = key
        withdrawn.withdrawnAt = 1
        let replies = [
            Self.document: Self.reply(client.json.serialized()),
            Self.keySet: Self.reply(published),
        ]
        let record = ProviderRecord(
            realmID: "home",
            name: HandleProvider.kind,
            kind: HandleProvider.kind,
            place: 0,
            isEnabled: true,
            settings: [:],
            sealedSecret: nil
        )
        let administration = Administration(
            installation: installation,
            realmList: try await installation.realms.realms(),
            console: Console(isQuiet: true, noColour: true, noInput: true, environment: [:])
        )
        for (stored, mark) in [(key, .passed), (withdrawn, .problem)]
            as [(HandleClientKey, Finding.Mark)]
        {
            var backend = try await installation.backend.configuration()
            backend.allProviders = [record]
            backend.handleKeys = [stored]
            let found = await NetworkDoctor(
                administration: administration,
                backend: backend,
                outbound: nil,
                guarded: ObservedTransport(Answers(replies: replies)) { Date() }
            ).published()
            #expect(found.map(\.mark) == [.passed, mark], "\(found)")
        }
        try await installation.close()
    }

    @Test("ATP-CA-5, ATP-CA-6: every key that is in use must be published, and no withdrawn one")
    func keys() async throws {
        let client = try Self.client()
        let (key, published) = try Self.key()
        var withdrawn = key
        withdrawn.withdrawnAt = 1
        let full = Self.reply(published)
        let empty = Self.reply(Array(#"{"keys":[]}"#.utf8))
        let cases: [([HandleClientKey], Result<HTTPReply, HTTPTransportError>, String)] = [
            ([key], empty, "lacks key \(key.keyID)"),
            ([withdrawn], full, "still has key \(key.keyID)"),
            ([withdrawn], empty, "has no key"),
            ([key], Self.reply(Array("[]".utf8)), "is no key set"),
            ([key], Self.reply([], 503), "answers 503"),
        ]
        for (keys, reply, text) in cases {
            let found = await findings(
                client,
                keys: keys,
                [Self.document: Self.reply(client.json.serialized()), Self.keySet: reply]
            )
            #expect(found.map(\.mark) == [.passed, .problem])
            #expect(found.last?.text.contains(text) == true, "\(found)")
        }
    }

    @Test("ATP-AS-3, RFC9728-3-1: a realm's documents must be at its own origin, and be its own")
    func realm() async throws {
        let issuer = "https://pds.example.com"
        let server = "\(issuer)/.well-known/oauth-authorization-server"
        let resource = "\(issuer)/.well-known/oauth-protected-resource"
        var realm = Realm(id: "1", name: "pds", displayName: "PDS", issuer: issuer)
        func check(_ replies: [String: Result<HTTPReply, HTTPTransportError>]) async -> [Finding] {
            await PublishedDocuments(
                transport: ObservedTransport(Answers(replies: replies)) { Date() },
                rules: .production
            ).check(realm)
        }
        #expect(await check([:]).isEmpty)
        realm.profile = .atProtocol(resource: issuer)
        let metadata = TestHosts.metadata("pds.example.com")
        let named = #"{"resource":"\#(issuer)","authorization_servers":["\#(issuer)"]}"#
        let other = named.replacing("\"\(issuer)\"]", with: "\"https://as.example.com\"]")
        let good = Self.reply(metadata.serialized())
        let found = await check([server: good, resource: Self.reply(Array(named.utf8))])
        #expect(found.map(\.mark) == [.passed, .passed])
        let wrong = await check([server: good, resource: Self.reply(Array(other.utf8))])
        #expect(wrong.last?.text.contains("names another server") == true)
        let foreign = named.replacing(
            #""resource":"\#(issuer)""#,
            with: #""resource":"https://other.example.com""#
        )
        let otherHost = await check([server: good, resource: Self.reply(Array(foreign.utf8))])
        #expect(otherHost.map(\.mark) == [.passed, .problem])
        #expect(otherHost.last?.text.contains("or another host") == true, "\(otherHost)")
        var elsewhere = metadata
        elsewhere["issuer"] = "https://as.example.com"
        let confused = await check([
            server: Self.reply(elsewhere.serialized()), resource: Self.reply(Array(named.utf8)),
        ])
        #expect(confused.first?.text.contains("clients take: issuer") == true, "\(confused)")
        // One whose host is elsewhere has one document.
        realm.profile = .atProtocol(resource: "https://other.example.com")
        #expect(await check([server: good]).map(\.mark) == [.passed])
        realm.issuer = "http://pds.localhost:8080"
        realm.profile = .atProtocol(resource: realm.issuer)
        #expect(await check([:]).map(\.mark) == [.note])
    }

    @Test("ATP-C-ID-1: a document at an address of this machine is none, whatever its name says")
    func guarded() async throws {
        struct Here: AddressResolver {
            func addresses(of host: String) async throws -> [[UInt8]] { [[127, 0, 0, 1]] }
        }
        let found = await PublishedDocuments(
            transport: ObservedTransport(GuardedTransport(resolver: Here())) { Date() },
            rules: .production
        ).check(try Self.client(isConfidential: false), [])
        #expect(found.first?.text.contains("not at a public address") == true, "\(found)")
    }
}
