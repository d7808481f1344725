import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

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
