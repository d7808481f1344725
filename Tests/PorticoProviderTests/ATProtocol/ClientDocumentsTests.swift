import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Clients with a document: fetched, believed, bounded") struct ClientDocumentsTests {
    private let scene: ATScene

    init() async throws {
        scene = try await ATScene()
    }

    @Test("CIMD-4-1, ATP-MD-12: a client that no one registered is taken from its document")
    func taken() async throws {
        let reply = try await scene.push()
        #expect(reply.status == 201, "\(reply.text)")
        #expect(reply.json.string("request_uri")?.hasPrefix("urn:") == true)
        #expect(scene.sites.fetched == [ATScene.url])
        #expect(scene.sites.limits == [HTTPLimits(bytes: 65_536, seconds: 10)])
    }

    @Test("decision 0064: a realm that takes no documents fetches nothing")
    func ordinaryRealm() async throws {
        let scene = try await ATScene { $0.realm.profile = RealmProfile() }
        for url in [ATScene.url, "http://localhost"] {
            let reply = try await scene.push([("client_id", url)])
            #expect(reply.status == 401 && reply.error == "invalid_client")
        }
        #expect(scene.sites.fetched.isEmpty)
    }

    @Test(
        "ATP-C-ID-2, CIMD-3-1, CIMD-3-2: an address that is none of a document is refused, unasked",
        arguments: [
            "https://app.example.com:8443/x", "https://app.example.com:443/x",
            "https://app.example.com", "https://app.example.com/", "https://app.example.com/x/",
            "https://app.example.com/a/../x", "https://app.example.com/a/%2e%2e/x",
            "https://app.example.com/./x", "https://app.example.com/x#y",
            "https://u:p@app.example.com/x", "https://app.example.com/x?y=z",
            "https://127.0.0.1/x", "https://[::1]/x", "https://App.example.com/x",
            "http://app.example.com/x",
        ]
    )
    func addresses(url: String) async throws {
        let reply = try await scene.push([("client_id", url)])
        #expect(reply.status == 400 && reply.error == "invalid_client_metadata")
        #expect(scene.sites.fetched.isEmpty)
    }

    @Test(
        "ATP-MD-11: a host that is not of the public internet is told apart",
        arguments: ["localhost", "app.local", "app.test", "app.internal", "app.onion"]
    )
    func hosts(host: String) async throws {
        let reply = try await scene.push([("client_id", "https://\(host)/x")])
        #expect(reply.status == 400 && reply.error == "invalid_client_id", "\(reply.text)")
        #expect(scene.sites.fetched.isEmpty)
    }

    @Test(
        "CIMD-4-2, CIMD-4-3: 200 alone is success; no redirect is followed",
        arguments: [201, 204, 206, 301, 302, 307, 404, 500]
    )
    func statuses(status: Int) async throws {
        scene.sites[ATScene.url] = DocumentSites.Answer(status: status, scene.document.serialized())
        let reply = try await scene.push()
        #expect(reply.status == 400 && reply.error == "invalid_client_metadata")
        #expect(scene.sites.fetched == [ATScene.url])
    }

    @Test(
        "CIMD-4.1-2: the type is application/json, as at real servers",
        arguments: [
            nil, "text/html", "application/ld+json", "application/json-seq", "text/json", "",
        ]
    )
    func types(type: String?) async throws {
        let document = scene.document.serialized()
        scene.sites[ATScene.url] = DocumentSites.Answer(type: type, document)
        #expect(try await scene.push().error == "invalid_client_metadata")
        scene.sites[ATScene.url] = DocumentSites.Answer(
            type: "Application/JSON; charset=utf-8",
            document
        )
        #expect(try await scene.push().status == 201)
    }

    @Test(
        "CIMD-6.6-1: a document has at most 64 KiB",
        arguments: [(65_536, 201), (65_537, 400)]
    )
    func size(bytes: Int, status: Int) async throws {
        let document = scene.document.serialized()
        let blanks = [UInt8](repeating: 0x20, count: bytes - document.count)
        scene.sites[ATScene.url] = DocumentSites.Answer(document + blanks)
        #expect(try await scene.push().status == status)
    }

    @Test("CIMD-4.3-1, CIMD-4.4-2: errors are never kept: a mended document works at once")
    func mended() async throws {
        scene.sites[ATScene.url] = nil
        #expect(try await scene.push().error == "invalid_client_metadata")
        scene.publish(["dpop_bound_access_tokens": false])
        #expect(try await scene.push().error == "invalid_client_metadata")
        scene.publish([:])
        #expect(try await scene.push().status == 201)
        #expect(scene.sites.fetched.count == 3)
    }

    @Test("CIMD-4.4-1: a good document is believed for ten minutes, and not a second longer")
    func believed() async throws {
        #expect(try await scene.push().status == 201)
        scene.server.clock.advance(by: 599)
        #expect(try await scene.push().status == 201)
        #expect(scene.sites.fetched.count == 1)
        scene.server.clock.advance(by: 1)
        scene.sites[ATScene.url] = nil
        #expect(try await scene.push().error == "invalid_client_metadata")
        #expect(scene.sites.fetched.count == 2)
    }

    @Test("decision 0067: that we are busy says nothing of a client, and is not kept")
    func busy() async throws {
        scene.sites.isFull = true
        let refused = try await scene.push()
        #expect(refused.status == 503 && refused.error == "temporarily_unavailable")
        #expect(refused.headers[.retryAfter] != nil)
        scene.sites.isFull = false
        #expect(try await scene.push().status == 201)
    }

    @Test("decision 0067: while we are busy, a client that was known lately goes on for an hour")
    func known() async throws {
        let token = try await scene.tokens().refreshToken
        scene.sites.isFull = true
        scene.server.clock.advance(by: 601)
        #expect(try await scene.refresh(token).status == 200)
        scene.server.clock.advance(by: 2998)
        #expect(try await scene.push().status == 201)
        scene.server.clock.advance(by: 1)
        #expect(try await scene.push().status == 503)
        // It is no more believed than it was before.
        scene.sites.isFull = false
        scene.sites[ATScene.url] = nil
        #expect(try await scene.push().error == "invalid_client_metadata")
    }

    @Test("decision 0067, ATP-MD-13: strangers who fill a host take no known client's place")
    func knownOfHost() async throws {
        let token = try await scene.tokens().refreshToken
        let urls = (1...6).map { "https://app.example.com/\($0).json" }
        scene.serve(urls)
        #expect(try await scene.push([("client_id", urls[5])]).status == 201)
        scene.server.clock.advance(by: 601)
        let before = scene.sites.fetched.count
        scene.sites.isHeld = true
        let waiting = Task {
            try await atOnce(urls.prefix(4)) { url in
                try await scene.push([("client_id", url)]).status
            }
        }
        try await waitUntil("four are fetched") { scene.sites.fetched.count == before + 4 }
        #expect(try await scene.push([("client_id", urls[4])]).status == 429)
        // What is known is asked for again: an old document, with keys that are gone, is not believed.
        scene.sites.freeAddress = ATScene.url
        #expect(try await scene.refresh(token).status == 200)
        #expect(scene.sites.fetched.count == before + 5)
        scene.server.clock.advance(by: 600)
        scene.sites[ATScene.url] = nil
        #expect(try await scene.refresh(token).error == "invalid_client_metadata")
        // Only where that place is taken too, by another one that is known, the hour counts.
        scene.sites.freeAddress = nil
        let known = Task { try await scene.push().status }
        try await waitUntil("the fifth is asked") { scene.sites.fetched.count == before + 7 }
        #expect(try await scene.push([("client_id", urls[5])]).status == 201)
        #expect(scene.sites.fetched.count == before + 7)
        scene.sites.isHeld = false
        #expect(try await known.value == 400)
        #expect(try await waiting.value == [201, 201, 201, 201])
    }

    @Test("ATP-MD-11: what a document must say, and what is told of it")
    func members() async throws {
        let wrong: [(JSONObject, String)] = [
            (["client_id": "https://app.example.com/other.json"], "invalid_client_metadata"),
            (["token_endpoint_auth_method": "client_secret_basic"], "invalid_client_metadata"),
            (["token_endpoint_auth_method": .null], "invalid_client_metadata"),
            (["client_secret": "x"], "invalid_client_metadata"),
            (["scope": "transition:generic"], "invalid_client_metadata"),
            (["redirect_uris": []], "invalid_client_metadata"),
            (["redirect_uris": ["http://app.example.com/cb"]], "invalid_redirect_uri"),
            (["application_type": "native"], "invalid_redirect_uri"),
        ]
        for (changes, error) in wrong {
            // A native client may come back to its own origin.
            let native = changes["application_type"] != nil
            let scene = try await ATScene(
                native
                    ? changes.merging(["redirect_uris": ["https://other.example.com/cb"]])
                    : changes
            )
            let reply = try await scene.push()
            #expect(reply.status == 400 && reply.error == error, "\(changes) \(reply.text)")
        }
    }

    @Test("CIMD-6.5-2: the key set is fetched like the document, and from nowhere else")
    func keySet() async throws {
        let scene = try await ATScene(
            ["jwks": .null, "jwks_uri": .string(ATScene.keys)],
            isConfidential: true
        )
        let set: JSONObject = ["keys": [.object(scene.key.verificationKey.jwk.object)]]
        scene.sites[ATScene.keys] = DocumentSites.Answer(set)
        #expect(try await scene.push().status == 201)
        #expect(scene.sites.fetched == [ATScene.url, ATScene.keys])
        #expect(Set(scene.sites.limits) == [HTTPLimits(bytes: 65_536, seconds: 10)])
        #expect(try await scene.push().status == 201)
        #expect(scene.sites.fetched.count == 2)
        for answer in [
            nil, DocumentSites.Answer(status: 302, set.serialized()),
            DocumentSites.Answer(type: "application/jwk-set+json", set.serialized()),
            DocumentSites.Answer(["keys": []]), DocumentSites.Answer(Array("[]".utf8)),
        ] {
            scene.server.clock.advance(by: 600)
            scene.sites[ATScene.keys] = answer
            #expect(try await scene.push().error == "invalid_client_metadata")
        }
        let local = try await ATScene(
            ["jwks": .null, "jwks_uri": "https://localhost/keys"],
            isConfidential: true
        )
        #expect(try await local.push().error == "invalid_client_metadata")
        #expect(local.sites.fetched == [ATScene.url])
    }

    @Test(
        "CIMD-6.5-1: an address that leads to a private one is not asked, by the program's transport",
        arguments: [
            [127, 0, 0, 1], [10, 0, 0, 1], [169, 254, 169, 254], .loopback6,
            [0xFC] + [UInt8](repeating: 0, count: 15),
            [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1],
        ] as [[UInt8]]
    )
    func guarded(address: [UInt8]) async throws {
        // The second answer would be another: it is asked once, and that one counts.
        let names = ScriptedNames([address], [[93, 184, 216, 34]])
        let server = try await ProviderUnderTest(
            documentsBy: GuardedTransport(mediaTypes: ["application/json"], resolver: names)
        ) { $0.realm.profile = .atProtocol(resource: ATScene.resource) }
        let reply = try await server.post(
            .endpoint("ext/par/request"),
            TestFlow.request("native1", [("client_id", ATScene.url)])
        )
        #expect(reply.status == 400 && reply.error == "invalid_client_metadata")
        #expect(names.questions == ["app.example.com"])
    }

    @Test("decision 0064: however many wait for one document, it is fetched once")
    func together() async throws {
        scene.sites.isHeld = true
        async let release: Void = {
            try await waitUntil("it is asked for") { !scene.sites.fetched.isEmpty }
            try await Task.sleep(for: .milliseconds(100))
            scene.sites.isHeld = false
        }()
        let statuses = try await atOnce(1...30) { _ in try await scene.push().status }
        try await release
        #expect(statuses == [Int](repeating: 201, count: 30))
        #expect(scene.sites.fetched.count == 1)
    }

    @Test("decision 0064: four documents of a host at once; over it 429, and nothing is fetched")
    func perHost() async throws {
        let urls = (1...9).map { "https://app.example.com/\($0).json" }
        scene.serve(urls)
        scene.sites.isHeld = true
        let waiting = Task {
            try await atOnce(urls.prefix(4)) { url in
                try await scene.push([("client_id", url)]).status
            }
        }
        try await waitUntil("four are asked for") { scene.sites.fetched.count == 4 }
        for url in urls.suffix(5) {
            let reply = try await scene.push([("client_id", url)])
            #expect(reply.status == 429)
            #expect(reply.headers[.retryAfter] == "1")
        }
        #expect(scene.sites.fetched.count == 4)
        scene.sites.isHeld = false
        #expect(try await waiting.value == [201, 201, 201, 201])
        #expect(try await scene.push([("client_id", urls[8])]).status == 201)
    }

    @Test("decision 0064: four key sets of a host at once; over it 429, and none is asked for")
    func keySetsPerHost() async throws {
        let scene = try await ATScene(
            ["jwks": .null, "jwks_uri": .string(ATScene.keys)],
            isConfidential: true
        )
        let set: JSONObject = ["keys": [.object(scene.key.verificationKey.jwk.object)]]
        scene.sites[ATScene.keys] = DocumentSites.Answer(set)
        let urls = (1...5).map { "https://n\($0).example.com/client.json" }
        scene.serve(urls)
        let push: @Sendable (String) async throws -> Reply = { url in
            let proof = try scene.assertion(["iss": .string(url), "sub": .string(url)])
            return try await scene.push([("client_id", url)], proof: proof)
        }
        scene.sites.heldAddress = ATScene.keys
        let waiting = Task {
            try await atOnce(urls.prefix(4)) { url in try await push(url).status }
        }
        try await waitUntil("four key sets are asked for") { scene.sites.fetched.count == 8 }
        let refused = try await push(urls[4])
        #expect(refused.status == 429)
        #expect(refused.headers[.retryAfter] == "1")
        #expect(scene.sites.fetched.count == 9 && scene.sites.fetched.last == urls[4])
        scene.sites.heldAddress = nil
        #expect(try await waiting.value == [201, 201, 201, 201])
        #expect(try await push(urls[4]).status == 201)
    }

    @Test("decision 0064: one address has twenty documents fetched a minute, good or bad")
    func perAddress() async throws {
        for number in 1...20 {
            let reply = try await scene.push([("client_id", "https://n\(number).example.com/x")])
            #expect(reply.status == 400)
        }
        let reply = try await scene.push()
        #expect(reply.status == 429)
        #expect(reply.headers[.retryAfter] != nil)
        #expect(scene.sites.fetched.count == 20)
        // No one else has to wait, and no one does for what is known.
        let other = try await scene.server.post(
            scene.server.path(of: "ext/par/request"),
            scene.request(),
            from: "192.0.2.99"
        )
        #expect(other.status == 201)
        #expect(try await scene.push().status == 201)
        scene.server.clock.advance(by: 60)
        #expect(try await scene.push([("client_id", "https://x.example.com/x")]).status == 400)
    }

    @Test("decision 0064: a reload of the page counts for the address too")
    func reloaded() async throws {
        let browser = TestBrowser(scene.server)
        let page = try await browser.authorize(try await scene.reference())
        let sealed = try #require(page.hiddenFields.first { $0.name == "request" }).value
        let restart = FormEncoding.appending(
            [(name: "request", value: sealed)],
            to: "/realms/test/login-actions/restart"
        )
        scene.server.clock.advance(by: 550)
        let reference = try await scene.reference()
        #expect(scene.sites.fetched.count == 1)
        scene.server.clock.advance(by: 50)
        scene.sites[ATScene.url] = nil
        var statuses: [Int] = []
        for _ in 1...15 {
            statuses.append(try await browser.get(restart).status)
            statuses.append(try await browser.authorize(reference).status)
        }
        #expect(statuses == [Int](repeating: 400, count: 20) + [Int](repeating: 429, count: 10))
        #expect(scene.sites.fetched.count == 1 + 20)
        let other = TestBrowser(scene.server, from: "192.0.2.99")
        #expect(try await other.authorize(reference).status == 400)
        #expect(scene.sites.fetched.count == 1 + 21)
        // What is too late makes nothing be fetched at all.
        scene.server.clock.advance(by: 600)
        let late = try await browser.authorize(reference)
        #expect(late.status != 200 && late.redirected["code"] == nil)
        #expect(scene.sites.fetched.count == 1 + 21)
    }

    @Test("RFC9449-8-1: a request that is told to use a nonce makes nothing be fetched")
    func proofFirst() async throws {
        let proof = try scene.app.proof(.post, "ext/par/request", nonce: nil)
        let asked = try await scene.server.post("ext/par/request", scene.request(), proof: proof)
        #expect(asked.error == "use_dpop_nonce")
        #expect(scene.sites.fetched.isEmpty)
    }

    @Test("decision 0064: a disabled registration shuts out the document of its client_id")
    func disabledRegistration() async throws {
        let reference = try await scene.reference()
        let realms = scene.server.database.realms
        let realm = try #require(try await realms.snapshot().realms.first)
        var client = Client.app(ATScene.url, "App", realmID: realm.id)
        client.redirectURIs = [RedirectURI(ATScene.redirect)]
        client.isEnabled = false
        #expect(try await realms.create(client) == .created)
        try await scene.server.provider.realms.refresh()
        let reply = try await scene.push()
        #expect(reply.status == 400 && reply.error == "invalid_client")
        let page = try await TestBrowser(scene.server).authorize(reference)
        #expect(page.status == 400 && page.location == nil)
        #expect(scene.sites.fetched == [ATScene.url])
    }

    @Test("decision 0064: what is kept in memory is bounded, in documents and in bytes")
    func bounded() throws {
        func realm(_ id: String) -> Realm {
            var realm = Realm(id: id, name: id, displayName: id, issuer: ATScene.issuer)
            realm.profile = .atProtocol(resource: ATScene.resource)
            return realm
        }
        func client(_ number: Int) throws -> Client {
            let url = "https://app.example.com/\(number)"
            let json = ATScene.publicClient.merging(["client_id": .string(url)])
            let document = try ClientDocument(
                parsing: json.serialized(),
                at: try ClientIDAddress(url),
                scopes: .atProtocol
            )
            return Client(document, keys: nil, in: realm("r"))
        }
        let table = DocumentedClients()
        for number in 1...1025 { table.keep(try client(number), bytes: 10, at: Int64(number)) }
        #expect(table.size.documents == 1024)
        #expect(table.size.bytes == 10_240)
        #expect(table.client(clientID: "https://app.example.com/1", in: realm("r")) == nil)
        #expect(table.client(clientID: "https://app.example.com/2", in: realm("r")) != nil)
        #expect(table.client(clientID: "https://app.example.com/2", in: realm("s")) == nil)
        // A large one pushes out as many as it needs, the oldest first.
        table.keep(try client(1026), bytes: DocumentedClients.mostBytes - 25, at: 1026)
        #expect(table.size.documents == 3)
        #expect(table.client(clientID: "https://app.example.com/1023", in: realm("r")) == nil)
        #expect(table.client(clientID: "https://app.example.com/1024", in: realm("r")) != nil)
        let large = DocumentedClients()
        for number in 1...65 { large.keep(try client(number), bytes: 131_072, at: 1) }
        #expect(large.size.documents == 64)
        #expect(large.size.bytes == 8 * 1024 * 1024)
        // Again, the same.
        large.keep(try client(65), bytes: 10, at: 2)
        #expect(large.size.bytes == 63 * 131_072 + 10)
    }
}
