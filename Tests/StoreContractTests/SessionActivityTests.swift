import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What was last seen of sessions") struct SessionActivityTests {
    @Test("what cannot be written now is written the next time, with what is newer by then")
    func busy() async throws {
        let stores = try await StoreUnderTest.furnished()
        let second = Example.session("session-2", cookie: Hash256(of: "second"))
        try await stores.start(second)
        let activity = SessionActivity(stores.sessions)
        let later = Example.signedIn + 1000
        func note(_ id: String, at now: Int64) {
            activity.note(id, lastSeenAt: Example.signedIn, at: now)
        }
        note("session-1", at: later)
        note("session-2", at: later)
        stores.refuseWrites(StoreBusy())
        await #expect(throws: StoreBusy.self) { try await activity.flush() }
        #expect(try await stores.liveByID()?.session.lastSeenAt == Example.signedIn)
        stores.refuseWrites(nil)
        note("session-2", at: later + 5)
        try await activity.flush()
        #expect(try await stores.liveByID()?.session.lastSeenAt == later)
        #expect(try await stores.liveByID("session-2")?.session.lastSeenAt == later + 5)
    }
}
