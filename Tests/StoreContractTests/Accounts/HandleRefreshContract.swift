import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("HandleSessionStore: refreshing", .everyDatabase) struct HandleRefreshContract {
    private let stores: TestDatabase
    private let ann: TestDatabase.SignedIn

    init() async throws {
        stores = try StoreUnderTest.empty()
        ann = try await stores.signedInByHandle()
    }

    @Test("ATP-TL-4: of concurrent claims of one revision one is leased")
    func race() async throws {
        for revision: Int64 in 1...20 {
            let outcomes = try await concurrently(50) { _ in
                try await stores.lease(ann, HandleExample.lease(revision))
            }
            #expect(outcomes.filter(\.isLeased).count == 1)
            #expect(outcomes.filter { $0 == .held(until: HandleExample.now + 30) }.count == 49)
            #expect(try await stores.keep(ann, "sealed \(revision)", after: revision) == .kept)
        }
    }

    @Test("ATP-TL-4: a lease ends by its time, and not before, also where its holder is gone")
    func lapse() async throws {
        let (lease, end) = (HandleExample.lease(), HandleExample.now + 30)
        #expect(try await stores.lease(ann, lease).isLeased)
        #expect(try await stores.handles.sending(ann.sessionID, lease, at: HandleExample.now))
        let next = HandleExample.lease(until: end + 30)
        #expect(try await stores.lease(ann, next, at: end - 1) == .held(until: end))
        #expect(try await stores.lease(ann, next, at: end).isLeased)
        // What the one before sent is not forgotten, and it sends no more.
        #expect(try await stores.handle(ann)?.sentAt == HandleExample.now)
        #expect(try await stores.handles.sending(ann.sessionID, lease, at: end) == false)
    }

    @Test("ATP-TL-4: only who holds the lease of these tokens sends them")
    func sending() async throws {
        let lease = HandleExample.lease()
        func isSending(_ lease: RefreshLease, at now: Int64 = HandleExample.now) async throws
            -> Bool
        {
            try await stores.handles.sending(ann.sessionID, lease, at: now)
        }
        #expect(try await isSending(lease) == false)
        #expect(try await stores.lease(ann, lease).isLeased)
        #expect(try await isSending(HandleExample.lease()) == false)
        let other = RefreshLease(id: lease.id, revision: 2, until: lease.until)
        #expect(try await isSending(other) == false)
        #expect(try await isSending(lease, at: lease.until) == false)
        #expect(try await stores.handle(ann)?.sentAt == nil)
        #expect(try await isSending(lease, at: lease.until - 1))
        #expect(try await stores.handle(ann)?.sentAt == lease.until - 1)
        _ = try await stores.signOut(ann)
        #expect(try await isSending(lease) == false)
    }

    @Test("ATP-TL-4: who sends has the lease for the whole sending")
    func wholeSending() async throws {
        let (lease, now) = (HandleExample.lease(), HandleExample.now)
        #expect(try await stores.lease(ann, lease).isLeased)
        #expect(try await stores.handles.sending(ann.sessionID, lease, at: now + 29))
        let next = HandleExample.lease(until: now + 90)
        for later: Int64 in [30, 58] {
            #expect(try await stores.lease(ann, next, at: now + later) == .held(until: now + 59))
        }
        #expect(try await stores.lease(ann, next, at: now + 59).isLeased)
    }

    @Test("ATP-TL-4: new tokens are stored once, and are another revision, without lease")
    func keeping() async throws {
        let lease = HandleExample.lease()
        #expect(try await stores.lease(ann, lease).isLeased)
        #expect(try await stores.handles.sending(ann.sessionID, lease, at: HandleExample.now))
        let outcomes = try await concurrently(20) { index in
            try await stores.keep(ann, "sealed \(index)", at: HandleExample.now + 5)
        }
        #expect(outcomes.count(of: .kept) == 1)
        #expect(outcomes.count(of: .changed) == 19)
        let kept = try #require(try await stores.handle(ann))
        #expect(kept.revision == 2)
        #expect(kept.scope == "atproto")
        #expect(kept.accessExpiresAt == HandleExample.now + 905)
        #expect(kept.refreshedAt == HandleExample.now + 5)
        #expect(kept.createdAt == HandleExample.now)
        #expect(kept.sentAt == nil)
        #expect(try await stores.kinds().last == .handleRefreshed)
        #expect(try await stores.lease(ann) == .changed(kept))
        #expect(try await stores.lease(ann, HandleExample.lease(2)) == .leased(kept))
    }

    @Test(
        "a lease that brought nothing is given back, and says whether the token is as good as before"
    )
    func givenBack() async throws {
        for isUnspent in [false, true] {
            let lease = HandleExample.lease()
            #expect(try await stores.lease(ann, lease).isLeased)
            #expect(try await stores.handles.sending(ann.sessionID, lease, at: HandleExample.now))
            // Another's does nothing.
            try await stores.handles.giveBack(ann.sessionID, HandleExample.lease(), isUnspent: true)
            #expect(try await stores.lease(ann).isHeld)
            #expect(try await stores.handle(ann)?.sentAt == HandleExample.now)
            try await stores.handles.giveBack(ann.sessionID, lease, isUnspent: isUnspent)
            #expect((try await stores.handle(ann)?.sentAt == nil) == isUnspent)
        }
        #expect(try await stores.handle(ann)?.revision == 1)
        #expect(try await stores.lease(ann).isLeased)
    }

    @Test(
        "a session that is over is not refreshed, and what was under way is kept to be revoked",
        arguments: AccountSessionDeath.allCases
    )
    func ended(_ death: AccountSessionDeath) async throws {
        let until = death.now + 30
        let lease = HandleExample.lease(until: until)
        #expect(try await stores.lease(ann, lease).isLeased)
        try await death.happen(to: ann, in: stores)
        let id = ann.sessionID
        #expect(try await stores.handles.sending(id, lease, at: death.now) == false)
        #expect(try await stores.lease(ann, at: until) == .ended)
        #expect(try await stores.keep(ann, "sealed 2", at: death.now) == .ended)
        let due = try await stores.takeDue(at: death.now)
        #expect(due.map(\.session.sealed) == ["sealed 2"])
        #expect(try await stores.kinds().contains(.handleRefreshed) == false)
        let nobody = try await stores.handles.lease(
            AccountExample.freshSession(),
            lease,
            at: death.now
        )
        #expect(nobody == .ended)
    }
}
