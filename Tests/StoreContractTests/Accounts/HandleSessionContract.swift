import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("HandleSessionStore: which sessions are live", .everyDatabase) struct HandleSessionContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test("decision 0056: what a sign-in by handle brings is kept beside its session")
    func kept() async throws {
        for key in ["key-1", nil] {
            let new = HandleExample.new(key: key)
            let ann = try await stores.signedInByHandle(new)
            let live = try await stores.handles.live(ann.sessionID, at: HandleExample.now)
            let expected = HandleSession(new, sessionID: ann.sessionID, at: HandleExample.now)
            #expect(live?.handle == expected)
            #expect(live?.live == (try await stores.live(ann.cookie)))
            #expect(live?.live.providers == ["google"])
        }
        let google = try await stores.signedIn()
        #expect(try await stores.handle(google) == nil)
        #expect(
            try await stores.handles.live(AccountExample.freshSession(), at: HandleExample.now)
                == nil
        )
    }

    @Test("a sign-in that makes no session keeps no tokens")
    func refused() async throws {
        var event = AccountExample.signIn()
        event.isSignUpOpen = false
        event.handleSession = HandleExample.new()
        #expect(try await stores.signIn(event) == .signUpClosed)
        #expect(try await stores.handles.lastHandle(of: HandleExample.did) == nil)
    }

    @Test(
        "IRON-S-15: a session by handle is dead, whatever its account's session died of",
        arguments: AccountSessionDeath.allCases
    )
    func dead(_ death: AccountSessionDeath) async throws {
        let ann = try await stores.signedInByHandle()
        #expect(try await stores.handle(ann) != nil)
        try await death.happen(to: ann, in: stores)
        #expect(try await stores.handle(ann, at: death.now) == nil)
        // Whom to ask again is known.
        #expect(try await stores.handles.lastHandle(of: HandleExample.did) == "ann.example.com")
    }

    @Test(
        "decision 0056: of 51 sessions by handle the one used longest ago ends, with its tokens due"
    )
    func most() async throws {
        // Others are not counted: those of another way to sign in, and of another person.
        let other = try await stores.signedIn()
        var event = AccountExample.signIn(AccountExample.key("bob"))
        event.handleSession = HandleExample.new("did:plc:bob")
        _ = try await stores.signIn(event)
        let now = HandleExample.now
        var all: [TestDatabase.SignedIn] = []
        for number in 0..<50 {
            all.append(try await stores.signedInByHandle(at: now + Int64(number)))
        }
        // The first one was used a moment ago.
        try await stores.sessions.touch([(id: all[0].sessionID, at: now + 60)])
        for one in all { #expect(try await stores.handle(one, at: now + 60) != nil) }
        #expect(try await stores.takeDue(at: now + 60).isEmpty)

        let newest = try await stores.signedInByHandle(at: now + 60)
        #expect(try await stores.handle(newest, at: now + 60) != nil)
        let over = all.remove(at: 1)
        #expect(try await stores.handle(over, at: now + 60) == nil)
        for one in all { #expect(try await stores.handle(one, at: now + 60) != nil) }
        let due = try await stores.takeDue(at: now + 60)
        #expect(due.map(\.session.sessionID) == [over.sessionID])
        let events = try await stores.events.latest([.signedOut], of: over.account.id, limit: 9)
        #expect(events.map(\.reason) == ["too_many"])
        #expect(try await stores.isLive(other.sessionID, at: now + 60))
    }

    @Test(
        "decision 0066: another system's seals open the one session of their DID that takes them, for a while"
    )
    func foreign() async throws {
        let until = HandleExample.now + 100
        func opened(_ did: String = HandleExample.did, at now: Int64 = HandleExample.now)
            async throws -> String?
        {
            try await stores.handles.liveOfForeignSeal(did: did, at: now)?.handle.sessionID
        }
        _ = try await stores.signedInByHandle()
        #expect(try await opened() == nil)
        let taken = HandleExample.new(foreignSealsUntil: until)
        let ann = try await stores.signedInByHandle(taken)
        #expect(try await stores.kinds().suffix(2) == [.sessionImported, .signedIn])
        #expect(try await stores.handle(ann)?.foreignSealsUntil == until)
        #expect(try await opened() == ann.sessionID)
        #expect(try await opened("did:plc:other") == nil)
        await #expect(throws: StoreConflict.self) { try await stores.signedInByHandle(taken) }
        for (time, isOpened) in [(until - 1, true), (until, false)] {
            #expect(try await opened(at: time) == (isOpened ? ann.sessionID : nil))
            // By its own seals, whatever the time.
            #expect(try await stores.handle(ann, at: time) != nil)
        }
        // Then the next one can come.
        var later = taken
        later.foreignSealsUntil = until + 100
        let next = try await stores.signedInByHandle(later, at: until)
        #expect(try await opened(at: until) == next.sessionID)
        #expect(try await stores.handle(ann, at: until)?.foreignSealsUntil == nil)
    }

    @Test(
        "decision 0066: whoever signs in anew for a DID ends what another system's seals open, and nothing else"
    )
    func foreignEnded() async throws {
        let until = HandleExample.now + 100
        let ann = try await stores.signedInByHandle(HandleExample.new(foreignSealsUntil: until))
        _ = try await stores.signedInByHandle(HandleExample.new("did:plc:other"))
        let did = HandleExample.did
        #expect(try await stores.handles.liveOfForeignSeal(did: did, at: HandleExample.now) != nil)
        _ = try await stores.signedInByHandle()
        #expect(try await stores.handles.liveOfForeignSeal(did: did, at: HandleExample.now) == nil)
        let left = try #require(try await stores.handle(ann))
        #expect(left.foreignSealsUntil == nil && left.sealed != nil)
        #expect(try await stores.takeDue().isEmpty)
    }

    @Test("sessions end by the kind of client that began them, and the others stay")
    func clients() async throws {
        let keyed = try await stores.signedInByHandle()
        let open = try await stores.signedInByHandle(HandleExample.new(key: nil))
        let over = try await stores.signedInByHandle(HandleExample.new(key: nil))
        _ = try await stores.sessions.signOut(
            over.sessionID,
            of: over.account.id,
            at: HandleExample.now
        )
        for confidential in [true, false] {
            #expect(try await stores.handles.count(confidential: confidential) == 1)
        }
        try await stores.handles.endAll(confidential: false, as: "word", at: HandleExample.now)
        #expect(try await stores.handle(open) == nil)
        #expect(try await stores.handle(keyed) != nil)
        #expect(try await stores.handles.count(confidential: false) == 0)
        #expect(try await stores.kinds().last == .handleEnded)
        // What was signed out before is told its host all the same.
        #expect(try await stores.takeDue().map(\.session.sessionID) == [over.sessionID])
    }

    @Test(
        "a session that is over is in no import's way, whatever it died of",
        arguments: AccountSessionDeath.allCases
    )
    func importedAgain(_ death: AccountSessionDeath) async throws {
        let taken = HandleExample.new(foreignSealsUntil: .max)
        let ann = try await stores.signedInByHandle(taken)
        try await death.happen(to: ann, in: stores)
        let did = HandleExample.did
        #expect(try await stores.handles.liveOfForeignSeal(did: did, at: death.now) == nil)
        if death == .blocked { return }
        let again = try await stores.signedInByHandle(taken, at: death.now)
        let opened = try await stores.handles.liveOfForeignSeal(did: did, at: death.now)
        #expect(opened?.handle.sessionID == again.sessionID)
    }
}
