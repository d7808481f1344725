import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite("Whose a handle is, and where") struct IdentityTests {
    private let world: World

    init() throws {
        world = try World()
    }

    private typealias World = ScriptedWorld

    private func error(_ body: () async throws -> ATIdentity) async -> IdentityError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? IdentityError
        }
    }

    @Test("ATP-ID-1: a handle and a DID lead to the same account and host")
    func entries() async throws {
        let expected = ATIdentity(
            did: try DID(World.alice),
            handle: try Handle("alice.example.com"),
            host: try ServerOrigin("https://pds.example.com")
        )
        #expect(try await world.identity(of: "Alice.example.com") == expected)
        #expect(try await world.identity(ofDID: World.alice) == expected)
    }

    @Test(
        "ATP-ID-4: of the TXT records at _atproto those that begin with did= count",
        arguments: [
            ["did=\(World.alice)"], ["v=spf1 -all", "did=\(World.alice)", "did", "x did=y"],
            ["did=\(World.alice)", "did=\(World.alice)"],
            ["did=", "did=nonsense", "did=did:key:zQ3sh", "did=\(World.alice)"],
        ]
    )
    func texts(records: [String]) async throws {
        world.names["_atproto.alice.example.com"] = .success(records)
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
        #expect(world.names.questions == ["_atproto.alice.example.com"])
    }

    @Test("attack G03: two TXT records with different DIDs make it fail, whatever the site says")
    func ambiguous() async throws {
        world.names["_atproto.alice.example.com"] = .success([
            "did=\(World.alice)", "did=\(World.mallory)",
        ])
        world.network[World.site("alice.example.com")] = .answer(World.alice, "text/plain")
        #expect(
            await error { try await world.identity(of: "alice.example.com") } == .handleAmbiguous
        )
        // TXT records without did= are none.
        world.names["_atproto.alice.example.com"] = .success([
            World.mallory, "DID=\(World.mallory)",
        ])
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
    }

    @Test(
        "ATP-ID-5: the site of a handle answers with the DID alone, of whatever type the file is",
        arguments: [
            (World.alice, "text/plain"), (World.alice, "text/plain; charset=utf-8"),
            (World.alice, "TEXT/PLAIN"), (World.alice, nil), ("\(World.alice)\n", "text/plain"),
            (" \t\(World.alice) \r\nmore", "text/plain"),
            (World.alice, "application/octet-stream"), (World.alice, "text/html"),
        ] as [(String, String?)]
    )
    func site(body: String, type: String?) async throws {
        for status in [200, 201] {
            let world = try World()
            world.names["_atproto.alice.example.com"] = .success([])
            world.network[World.site("alice.example.com")] = .answer(body, type, status: status)
            #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
        }
    }

    @Test(
        "attack G04: a page, another status, or what is no DID is no answer of a site",
        arguments: [
            .answer("<p>\(World.alice)", "text/html"),
            .answer("{\"did\":\"\(World.alice)\"}", "application/json"),
            .answer("<p>\(World.alice)", "text/plain"), .answer("", "text/plain"),
            .answer("\n\(World.alice)", "text/plain"), .answer("did:key:zQ3sh", "text/plain"),
            .answer("\"\(World.alice)\"", "text/plain"),
            .answer(String(repeating: " ", count: 8192) + World.alice, "text/plain"),
            .answer(World.alice, "text/plain", status: 404),
            .answer(World.alice, "text/plain", status: 403), .status(204), .status(304),
            .answer(String(repeating: "\u{301}", count: 2000), "text/plain"), .status(301),
        ] as [ScriptedNetwork.Answer]
    )
    func noSite(answer: ScriptedNetwork.Answer) async throws {
        world.names["_atproto.alice.example.com"] = .success([])
        world.network[World.site("alice.example.com")] = answer
        #expect(
            await error { try await world.identity(of: "alice.example.com") } == .handleNotFound
        )
    }

    @Test("ATP-ID-5: at most three redirects are followed")
    func redirects() async throws {
        world.names["_atproto.alice.example.com"] = .success([])
        world.network[World.site("alice.example.com")] =
            .status(301, location: "https://www.example.com/1")
        world.network["https://www.example.com/1"] = .status(302, location: "/2")
        world.network["https://www.example.com/2"] =
            .status(307, location: "https://www.example.com:443/3")
        world.network["https://www.example.com:443/3"] = .answer(World.alice, "text/plain")
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)

        let longer = try World()
        longer.names["_atproto.alice.example.com"] = .success([])
        let site = World.site("alice.example.com")
        longer.network[site] = .status(302, location: site)
        #expect(
            await error { try await longer.identity(of: "alice.example.com") } == .handleNotFound
        )
        #expect(longer.network.questions == [site, site, site, site])
    }

    @Test(
        "attack G04: a redirect to an address that may not be asked ends there",
        arguments: [
            "http://169.254.169.254/", "https://169.254.169.254/", "http://alice.example.com/x",
            "https://alice.example.com:8443/", "https://localhost/", "https://[::1]/",
            "//evil.example/", "https://evil.local/", "javascript:x", "file:///etc/passwd", "x",
            "https://u@example.com/", "",
        ]
    )
    func redirectElsewhere(location: String) async throws {
        world.names["_atproto.alice.example.com"] = .success([])
        let site = World.site("alice.example.com")
        world.network[site] = .status(302, location: location)
        #expect(
            await error { try await world.identity(of: "alice.example.com") } == .handleNotFound
        )
        #expect(world.network.questions == [site])
    }

    @Test("the site of a handle has five seconds for its answer, and each document ten")
    func patience() async throws {
        let did = "did:web:alice.example.com"
        let site = World.site("alice.example.com")
        let document = "https://alice.example.com/.well-known/did.json"
        world.names["_atproto.alice.example.com"] = .success([])
        world.network[site] = .answer(World.alice, "text/plain")
        world.network[document] = .answer(World.document(did, names: ""))
        _ = try await world.identity(of: "alice.example.com")
        _ = try await world.identity(ofDID: did)
        // What is left of the five, and never none.
        let seconds = try #require(world.network.seconds[site])
        #expect((1...6).contains(seconds))
        #expect(world.network.seconds[World.entry(World.alice)] == 10)
        #expect(world.network.seconds[document] == 10)
    }

    @Test("ATP-ID-6: where the two differ, the DNS wins")
    func precedence() async throws {
        world.network[World.site("alice.example.com")] = .answer(World.mallory, "text/plain")
        world.network[World.entry(World.mallory)] = .answer(World.document(World.mallory))
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
    }

    @Test("ATP-ID-5: a name server that is away does not hide the site, nor the other way round")
    func away() async throws {
        world.names["_atproto.alice.example.com"] = .failure(.unreachable)
        world.network[World.site("alice.example.com")] = .answer(World.alice, "text/plain")
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
        // No one has a handle only if both say so.
        for (texts, site) in [
            (.failure(.unreachable), .status(404)), (.failure(.malformed), .status(404)),
            (.success([]), .failure(.unreachable)), (.success([]), .failure(.refused)),
            (.success([]), .failure(.timedOut)), (.success([]), .status(503)),
            (.failure(.unreachable), .failure(.unreachable)),
        ] as [(Result<[String], TextRecordError>, ScriptedNetwork.Answer)] {
            let world = try World()
            world.names["_atproto.alice.example.com"] = texts
            world.network[World.site("alice.example.com")] = site
            #expect(
                await error { try await world.identity(of: "alice.example.com") }
                    == .handleUnreachable
            )
        }
    }

    @Test("A domain that does not exist is no one's handle, if the name servers say so, too")
    func noSuchHost() async throws {
        let site = World.site("alice.example.com")
        for (texts, expected) in [
            (.success([]), .handleNotFound), (.success(["v=spf1 -all"]), .handleNotFound),
            (.failure(.unreachable), .handleUnreachable),
            (.failure(.malformed), .handleUnreachable), (.failure(.busy), .busy),
        ] as [(Result<[String], TextRecordError>, IdentityError)] {
            let world = try World()
            world.names["_atproto.alice.example.com"] = texts
            world.network[site] = .failure(.noSuchHost)
            #expect(await error { try await world.identity(of: "alice.example.com") } == expected)
        }
        // Nothing has to be at the domain where the name servers know the account.
        world.network[site] = .failure(.noSuchHost)
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
        // Nor is anybody where the site leads to nowhere.
        let other = try World()
        other.names["_atproto.alice.example.com"] = .success([])
        other.network[site] = .status(301, location: "https://www.example.com/")
        other.network["https://www.example.com/"] = .failure(.noSuchHost)
        #expect(
            await error { try await other.identity(of: "alice.example.com") } == .handleNotFound
        )
    }

    @Test("ATP-ID-4: a handle that is too long for a TXT record is asked at its site alone")
    func longHandle() async throws {
        let handle = String(repeating: "a23456789.", count: 24) + "abcde"
        #expect(handle.utf8.count == 245)
        world.network[World.site(handle)] = .answer(World.alice, "text/plain")
        world.network[World.entry(World.alice)] = .answer(
            World.document(World.alice, names: "\"at://\(handle)\"")
        )
        #expect(try await world.identity(of: handle).did.text == World.alice)
        #expect(world.names.questions.isEmpty)
    }

    @Test("attack G02: a handle whose account names another one is no one's")
    func oneWay() async throws {
        world.names["_atproto.mallory.example.com"] = .success(["did=\(World.alice)"])
        #expect(
            await error { try await world.identity(of: "mallory.example.com") }
                == .handleOfAnother
        )
        world.network[World.site("evil.example.com")] = .answer(World.alice, "text/plain")
        #expect(
            await error { try await world.identity(of: "evil.example.com") } == .handleOfAnother
        )
        // Only the first that is a handle counts.
        world.network[World.entry(World.alice)] = .answer(
            World.document(
                World.alice,
                names: #""at://not a handle", 7, "at://alice.example.com", "at://evil.example.com""#
            )
        )
        #expect(
            await error { try await world.identity(of: "evil.example.com") } == .handleOfAnother
        )
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
    }

    @Test("ATP-ID-10: what a DID says its handle is counts only if the handle says the same")
    func unconfirmed() async throws {
        for texts in [
            .success(["did=\(World.mallory)"]), .success([]), .failure(.unreachable),
            .success(["did=\(World.alice)", "did=\(World.mallory)"]),
        ] as [Result<[String], TextRecordError>] {
            let world = try World()
            world.names["_atproto.alice.example.com"] = texts
            let identity = try await world.identity(ofDID: World.alice)
            #expect(identity.handle == nil)
            #expect(identity.host.text == "https://pds.example.com")
        }
        world.network[World.entry(World.alice)] = .answer(World.document(World.alice, names: ""))
        #expect(try await world.identity(ofDID: World.alice).handle == nil)
        #expect(world.names.questions.isEmpty)
    }

    @Test("ATP-ID-7: did:plc is asked of the directory, did:web of its host, without redirects")
    func documents() async throws {
        let did = "did:web:alice.example.com"
        world.names["_atproto.alice.example.com"] = .success(["did=\(did)"])
        let address = "https://alice.example.com/.well-known/did.json"
        for type in [
            "application/did+ld+json", "application/did+json", "application/json; charset=utf-8",
        ] {
            world.network[address] = .answer(World.document(did), type)
            #expect(try await world.resolver.identity(of: DID(did), isFresh: true).did.text == did)
        }
        for (answer, expected) in [
            (.status(302, location: World.entry(World.alice)), .directoryUnreachable),
            (.status(404), .didNotFound), (.status(410), .didNotFound),
            (.status(500), .directoryUnreachable), (.status(429), .directoryUnreachable),
            (.failure(.timedOut), .directoryUnreachable),
            (.failure(.refused), .directoryUnreachable), (.failure(.tooLarge), .documentInvalid),
            (.answer(World.document(did), "text/html"), .documentInvalid),
            (.answer(World.document(did), nil), .documentInvalid),
        ] as [(ScriptedNetwork.Answer, IdentityError)] {
            world.network[address] = answer
            #expect(
                await error { try await world.resolver.identity(of: DID(did), isFresh: true) }
                    == expected
            )
        }
        #expect(world.network.questions.allSatisfy { !$0.hasPrefix("https://plc.") })
    }

    @Test(
        "attack G06: a document of another DID, or one that is none",
        arguments: [
            World.document(World.mallory), World.document(World.alice.uppercased()),
            World.document(World.alice + " "), "[]", "", "null", #"{"id":7}"#, "{}",
            #"{"id":"\#(World.alice)","id":"\#(World.alice)"}"#,
            String(repeating: "[", count: 30_000),
            #"{"id":"\#(World.alice)","x":"\#(String(repeating: "x", count: 65_536))"}"#,
            #"{"id":"\#(World.alice)","service":[\#(String(repeating: "0,", count: 100))0]}"#,
        ]
    )
    func foreignDocument(document: String) async throws {
        world.network[World.entry(World.alice)] = .answer(document)
        #expect(
            await error { try await world.identity(of: "alice.example.com") } == .documentInvalid
        )
    }

    @Test("ATP-ID-9: the document's id is the DID that was resolved, byte for byte")
    func ownDocument() async throws {
        world.network[World.entry(World.alice)] = .answer(World.document(World.mallory))
        #expect(await error { try await world.identity(ofDID: World.alice) } == .documentInvalid)
    }

    @Test("ATP-ID-11: the host is the first service with that id and type")
    func host() async throws {
        func service(_ id: String, _ type: String, _ endpoint: String) -> String {
            #"{"id":"\#(id)","type":"\#(type)","serviceEndpoint":"\#(endpoint)"}"#
        }
        func host(_ services: String...) async throws -> String? {
            let world = try World()
            let document =
                #"{"id":"\#(World.alice)","alsoKnownAs":[],"#
                + #""service":[\#(services.joined(separator: ","))]}"#
            world.network[World.entry(World.alice)] = .answer(document)
            return try await world.identity(ofDID: World.alice).host.text
        }
        let type = "AtprotoPersonalDataServer"
        let first = service("#atproto_pds", type, "https://one.example.com")
        let second = service("\(World.alice)#atproto_pds", type, "https://two.example.com")
        #expect(try await host(first, second) == "https://one.example.com")
        #expect(try await host(second, first) == "https://two.example.com")
        let others = [
            service("#atproto_labeler", type, "https://no.example.com"),
            service("#atproto_pds", "AtprotoLabeler", "https://no.example.com"),
            service("\(World.mallory)#atproto_pds", type, "https://no.example.com"),
            service("x#atproto_pds", type, "https://no.example.com"), "7", "[]", "{}",
        ]
        for other in others {
            #expect(try await host(other, first) == "https://one.example.com")
            await #expect(throws: IdentityError.noHost) { try await host(other) }
        }
        await #expect(throws: IdentityError.noHost) { try await host() }
    }

    @Test(
        "attack G06: an endpoint that is not a plain https origin is no host",
        arguments: [
            "http://pds.example.com", "https://pds.example.com/x", "https://u@pds.example.com",
            "https://[::1]", "https://pds.example.com:443/", "https://pds.example.com:8443",
            "https://10.0.0.1", "https://localhost", "https://pds.example.com?x", "", "pds",
        ]
    )
    func badHost(endpoint: String) async throws {
        world.network[World.entry(World.alice)] = .answer(
            World.document(World.alice, endpoint: endpoint)
        )
        #expect(await error { try await world.identity(of: "alice.example.com") } == .invalidHost)
    }
}

@Suite("How long an identity is believed") struct IdentityCacheTests {
    private typealias World = ScriptedWorld

    @Test("ATP-ID-13: an identity is believed for nine minutes, and not a second longer")
    func freshness() async throws {
        let world = try World()
        _ = try await world.identity(of: "alice.example.com")
        let asked = world.network.questions.count
        world.clock.advance(by: 539)
        _ = try await world.identity(of: "alice.example.com")
        #expect(world.network.questions.count == asked)
        world.clock.advance(by: 1)
        world.names["_atproto.alice.example.com"] = .success(["did=\(World.mallory)"])
        await #expect(throws: IdentityError.self) {
            try await world.identity(of: "alice.example.com")
        }
        #expect(world.network.questions.count > asked)
        // 10 minutes are the most that a sign-in may.
        #expect(IdentityResolver.freshness < 600)
    }

    @Test("ATP-ID-13: a DID is believed as long, and what is asked for fresh is fresh")
    func fresh() async throws {
        let world = try World()
        let did = try DID(World.alice)
        #expect(try await world.resolver.identity(of: did).host.text == "https://pds.example.com")
        world.network[World.entry(World.alice)] = .answer(
            World.document(World.alice, endpoint: "https://new.example.com")
        )
        #expect(try await world.resolver.identity(of: did).host.text == "https://pds.example.com")
        let fresh = try await world.resolver.identity(of: did, isFresh: true)
        #expect(fresh.host.text == "https://new.example.com")
        #expect(try await world.resolver.identity(of: did).host.text == "https://new.example.com")
        // What is gone when it is asked for fresh is not believed afterwards either.
        world.network[World.entry(World.alice)] = .status(404)
        await #expect(throws: IdentityError.didNotFound) {
            try await world.resolver.identity(of: did, isFresh: true)
        }
        await #expect(throws: IdentityError.didNotFound) {
            try await world.resolver.identity(of: did)
        }
    }

    @Test("ATP-ID-13: errors are not kept: who is there again is found at once")
    func errors() async throws {
        let world = try World()
        let address = World.entry(World.alice)
        let document = world.network[address]
        world.network[address] = .status(503)
        await #expect(throws: IdentityError.directoryUnreachable) {
            try await world.identity(of: "alice.example.com")
        }
        world.network[address] = document
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
        // A handle that could not be asked is asked again.
        let other = try World()
        other.names["_atproto.alice.example.com"] = .failure(.unreachable)
        #expect(try await other.identity(ofDID: World.alice).handle == nil)
        other.names["_atproto.alice.example.com"] = .success(["did=\(World.alice)"])
        #expect(try await other.identity(ofDID: World.alice).handle?.text == "alice.example.com")
    }

    @Test("WEB-INPUT-1: the oldest answers go where there are too many, and a set clock keeps none")
    func bounds() {
        let cache = AnswerCache<Int>(seconds: 100, most: 10)
        for number in 0..<12 { cache.keep(number, to: "\(number)", at: 1000) }
        #expect(cache.answer(to: "0", at: 1000) == nil)
        #expect(cache.answer(to: "11", at: 1000) == 11)
        #expect((0..<12).count(where: { cache.answer(to: "\($0)", at: 1000) != nil }) <= 10)
        #expect(cache.answer(to: "11", at: 1099) == 11)
        #expect(cache.answer(to: "11", at: 1100) == nil)
        #expect(cache.answer(to: "11", at: 999) == nil)
        cache.forget("11")
        #expect(cache.answer(to: "11", at: 1000) == nil)
    }
}
