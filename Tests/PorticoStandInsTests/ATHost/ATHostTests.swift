import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in of a host of the AT Protocol") struct ATHostTests {
    private let scene: HostScene

    init() throws {
        scene = try HostScene()
    }

    @Test("our client finds an account by its handle's site and by TXT records")
    func identity() async throws {
        for person in [HostScene.ann, HostScene.bob] {
            let did = try DID(person.did)
            let handle = try Handle(person.handle, scene.rules)
            for texts in [[:], scene.host.texts] {
                let found = try await scene.resolver(texts: texts).identity(of: handle)
                #expect(found.did == did && found.handle == handle)
                #expect(found.host.text == HostScene.origin)
            }
            let byDID = try await scene.resolver.identity(of: did)
            #expect(byDID.handle == handle)
        }
        #expect(scene.log.count(.handle) > 0 && scene.log.count(.directory) == 6)
        #expect(scene.behind.asked.isEmpty)
    }

    @Test("AT Protocol, DIDs and handles: the documents have the types and the words of real ones")
    func documents() async throws {
        let document = try await scene.send(.get, "/\(HostScene.ann.did)")
        #expect(document.status == 200)
        #expect(document.headers[.contentType] == "application/did+ld+json; charset=utf-8")
        #expect(document.json.strings("alsoKnownAs") == ["at://ann.handles.test"])
        let unknown = try await scene.send(.get, "/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
        #expect(unknown.status == 404)
        #expect(
            unknown.json.string("message")
                == "DID not registered: did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
        )
        let path = "/.well-known/atproto-did"
        let did = try await scene.send(.get, path, at: "bob.handles.test")
        #expect(did.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(did.text == HostScene.bob.did)
        let nobody = try await scene.send(.get, path, at: "nobody.handles.test")
        #expect(nobody.status == 404 && nobody.text == "User not found")
        // A handle's site has nothing else, and the host itself is no handle.
        #expect(try await scene.send(.get, "/echo", at: "bob.handles.test").status == 404)
        #expect(try await scene.send(.get, "/xrpc/x", at: "bob.handles.test").status == 404)
        #expect(try await scene.send(.get, path).status == 404)
    }

    @Test("RFC 9728 §3, RFC 8414 §3: the authorization server gets requests as they came")
    func passing() async throws {
        let server = try await scene.server()
        #expect(server.issuer.text == HostScene.origin)
        #expect(server.pushed.text == HostScene.origin + "/par")
        #expect(try await scene.send(.get, "/echo?x=y").text == "pds.handles.test")
        #expect(try await scene.send(.get, "/nothing").status == 404)
        let address = try await scene.push()
        #expect(address.hasPrefix(HostScene.origin + "/authorize?client_id="))
        // The first try is asked for a nonce.
        #expect(scene.log.count(.pushed) == 2 && scene.log.count(.serverMetadata) == 2)
        let entry = try #require(scene.log.requests(to: .pushed).last)
        #expect(entry.form["login_hint"] == HostScene.ann.did && entry.method == .post)
    }

    @Test("com.atproto.server.getSession: with an address where the scope has it")
    func session() async throws {
        for (scope, email) in [
            ("atproto", nil), ("atproto transition:generic", nil),
            ("atproto transition:email", "ann@example.com"),
            ("atproto account:email", "ann@example.com"),
        ] as [(String, String?)] {
            let tokens = try await scene.signIn(scope)
            let reply = try await scene.session(tokens)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json.string("did") == HostScene.ann.did)
            #expect(reply.json.string("handle") == "ann.handles.test")
            #expect(reply.json.bool("active") == true)
            #expect(reply.json.string("email") == email)
            #expect(reply.nonce != nil)
        }
        let bob = try await scene.signIn(as: HostScene.bob)
        #expect(try await scene.session(bob).json.string("did") == HostScene.bob.did)
    }

    @Test("com.atproto.repo.createRecord, com.atproto.repo.listRecords: what is written is read")
    func records() async throws {
        let tokens = try await scene.signIn("atproto repo:app.bsky.feed.post?action=create")
        func create(_ repo: String, _ collection: String, _ text: String) async throws -> Reply {
            let body: JSONObject = [
                "repo": .string(repo), "collection": .string(collection),
                "record": ["text": .string(text)],
            ]
            return try await scene.call(
                "com.atproto.repo.createRecord",
                by: .post,
                tokens.access,
                body: body.serialized(),
                type: "application/json"
            )
        }
        func list(_ query: String) async throws -> Reply {
            try await scene.send(
                .get,
                "/xrpc/com.atproto.repo.listRecords?collection=app.bsky.feed.post&" + query
            )
        }
        #expect(try await list("repo=ann.handles.test").json.array("records")?.isEmpty == true)
        var addresses: [String] = []
        for (repo, text) in [
            (HostScene.ann.did, "one"), ("ann.handles.test", "two"), (HostScene.ann.did, "three"),
        ] {
            let reply = try await create(repo, "app.bsky.feed.post", text)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json.string("cid")?.hasPrefix("bafyrei") == true)
            #expect(reply.json.string("cid")?.utf8.count == 59)
            #expect(reply.json.object("commit")?.string("rev")?.utf8.count == 13)
            addresses.append(try #require(reply.json.string("uri")))
        }
        #expect(Set(addresses).count == 3)
        #expect(addresses[0].hasPrefix("at://\(HostScene.ann.did)/app.bsky.feed.post/"))
        let first = try await list("repo=\(HostScene.ann.did)&limit=2").json
        let texts = first.array("records")?.map { $0.object?.object("value")?.string("text") }
        #expect(texts == ["three", "two"])
        let cursor = try #require(first.string("cursor"))
        let rest = try await list("repo=\(HostScene.ann.did)&cursor=\(cursor)").json
        #expect(rest.array("records")?.map { $0.object?.string("uri") } == [addresses[0]])
        #expect(try await list("repo=bob.handles.test").json.array("records")?.isEmpty == true)
        for query in ["", "repo=nobody.handles.test", "repo=ann.handles.test&limit=0"] {
            let reply = try await list(query)
            #expect(reply.status == 400 && reply.error == "InvalidRequest", "\(query)")
        }
        // Not one's own, not a name, and more than the scope has.
        #expect(try await create(HostScene.bob.did, "app.bsky.feed.post", "x").status == 400)
        for collection in ["post", "app.bsky.feed.post?action=delete", "*"] {
            #expect(try await create(HostScene.ann.did, collection, "x").status == 400)
        }
        let other = try await create(HostScene.ann.did, "app.bsky.feed.like", "x")
        #expect(other.status == 403 && other.error == "ScopeMissingError")
        #expect(
            other.json.string("message")
                == "Missing required scope \"repo:app.bsky.feed.like?action=create\""
        )
        #expect(other.nonce != nil && other.headers[.wwwAuthenticate] == nil)
    }

    @Test("com.atproto.repo.uploadBlob: by its type and its size")
    func blobs() async throws {
        let scene = try HostScene(longestBlob: 1000)
        func upload(_ scope: String, _ type: String?, _ size: Int) async throws -> Reply {
            try await scene.call(
                "com.atproto.repo.uploadBlob",
                by: .post,
                try await scene.signIn(scope).access,
                body: [UInt8](repeating: 7, count: size),
                type: type
            )
        }
        let generic = "atproto transition:generic"
        let reply = try await upload(generic, "text/plain; charset=utf-8", 1000)
        let blob = try #require(reply.json.object("blob"))
        #expect(blob.string("mimeType") == "text/plain" && blob.int64("size") == 1000)
        #expect(
            blob.object("ref")?.string("$link")
                == ContentID.ofFile([UInt8](repeating: 7, count: 1000))
        )
        #expect(blob.object("ref")?.string("$link")?.hasPrefix("bafkrei") == true)
        #expect(try await upload("atproto blob:image/*", "image/png", 1).status == 200)
        #expect(try await upload("atproto blob:image/*", "video/mp4", 1).status == 403)
        #expect(try await upload("atproto", "image/png", 1).status == 403)
        #expect(try await upload("atproto blob:*/*", nil, 1).error == "InvalidRequest")
        let long = try await upload("atproto blob:*/*", "image/png", 1001)
        #expect(long.status == 413 && long.error == "PayloadTooLarge")
    }

    @Test("who comes from elsewhere, by a proxy or under another name, is not served")
    func door() async throws {
        for (authority, status) in [
            ("pds.handles.test", 200), ("PDS.handles.test", 200), ("localhost:443", 200),
            ("evil.example", 421), ("handles.test", 421), ("pds.handles.test.evil.example", 421),
        ] {
            let reply = try await scene.send(.get, "/echo", at: authority)
            #expect(reply.status == status, "\(authority)")
        }
        for name in ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"] {
            let field = try #require(HTTPField.Name(name))
            let reply = try await scene.send(.get, "/echo", headers: [field: "127.0.0.1"])
            #expect(reply.status == 403)
        }
        let far = InProcessServer(
            scene.host.responder(authorizationServer: scene.behind),
            peer: "192.0.2.1"
        )
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "pds.handles.test",
            path: "/\(HostScene.ann.did)"
        )
        #expect(try await far.send(request).status == 403)
        #expect(throws: StandIns.Refusal.notAnOrigin) { try ATHost(baseURL: "http://localhost/") }
    }
}
