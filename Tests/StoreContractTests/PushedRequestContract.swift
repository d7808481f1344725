import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PushedRequestStore", .everyDatabase) struct PushedRequestContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    @Test("RFC 9126 §2.2: a pushed request is found by its hash, in its realm")
    func found() async throws {
        let store = stores.pushedRequests
        let request = PushedRequest.example
        #expect(try await store.push(request, spending: [], at: Example.now) == .spent)
        #expect(try await store.pushedRequest(request.hash, realmID: "realm-1") == request)
        #expect(try await store.pushedRequest(request.hash, realmID: "realm-2") == nil)
        #expect(try await store.pushedRequest(Hash256(of: "x"), realmID: "realm-1") == nil)
    }

    @Test("RFC 7523 §3: nothing is kept of a push with a spent assertion")
    func spent() async throws {
        let used = Example.assertion()
        #expect(try await stores.grants.spend([used], at: Example.now) == .spent)
        let request = PushedRequest.example
        let outcome = try await stores.pushedRequests.push(
            request,
            spending: [used],
            at: Example.now
        )
        #expect(outcome == .spentBefore(.assertion))
        let kept = try await stores.pushedRequests.pushedRequest(request.hash, realmID: "realm-1")
        #expect(kept == nil)
    }

    @Test("RFC 9126 §2.2: a request is there, expired, until it is purged")
    func purge() async throws {
        let store = stores.pushedRequests
        let request = PushedRequest.example
        #expect(try await store.push(request, spending: [], at: Example.now) == .spent)
        try await store.purgePushedRequests(before: request.expiresAt)
        #expect(try await store.pushedRequest(request.hash, realmID: "realm-1") == request)
        try await store.purgePushedRequests(before: request.expiresAt + 1)
        #expect(try await store.pushedRequest(request.hash, realmID: "realm-1") == nil)
    }
}

extension PushedRequest {
    static let example = PushedRequest(
        hash: Hash256(of: "request_uri"),
        realmID: "realm-1",
        clientID: "client-uuid",
        requestID: Example.id(9),
        parameters: Array("response_type=code&state=%00".utf8),
        expiresAt: Example.now + 90
    )
}
