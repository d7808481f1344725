import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("HandleSessionStore: which sessions are live") struct HandleSessionContract {
    @Test(
        "decision 0054: what a sign-in by handle brings is kept beside its session",
        arguments: StoreUnderTest.allCases
    )
    func kept(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
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
        let nobody = try await stores.handles.live(AccountExample.fresh(), at: HandleExample.now)
        #expect(nobody == nil)
    }

    @Test("a sign-in that makes no session keeps no tokens", arguments: StoreUnderTest.allCases)
    func refused(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        var event = AccountExample.signIn()
        event.isSignUpOpen = false
        event.handleSession = HandleExample.new()
        #expect(try await stores.signIn(event) == .signUpClosed)
        #expect(try await stores.handles.lastHandle(of: HandleExample.did) == nil)
    }

    @Test(
        "IRON-S-15: a session by handle is dead, whatever its account's session died of",
        arguments: StoreUnderTest.allCases,
        AccountSessionDeath.allCases
    )
    func dead(_ database: StoreUnderTest, _ death: AccountSessionDeath) async throws {
        let stores = try database.empty()
        let ann = try await stores.signedInByHandle()
        #expect(try await stores.handle(ann) != nil)
        try await death.happen(to: ann, in: stores)
        #expect(try await stores.handle(ann, at: death.now) == nil)
        // Whom to ask again is known.
        let handle = try await stores.handles.lastHandle(of: HandleExample.did)
        #expect(handle == "ann.example.com")
    }

    @Test(
        "another system's seals open the one session of their DID that takes them, while it lives",
        arguments: StoreUnderTest.allCases
    )
    func foreign(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        func opened(_ did: String = HandleExample.did) async throws -> UniqueID? {
            try await stores.handles.liveOfForeignSeal(did: did, at: HandleExample.now)?
                .handle.sessionID
        }
        _ = try await stores.signedInByHandle()
        #expect(try await opened() == nil)
        let taken = HandleExample.new(takesForeignSeals: true)
        let ann = try await stores.signedInByHandle(taken)
        #expect(try await stores.kinds().suffix(2) == [.sessionImported, .signedIn])
        #expect(try await opened() == ann.sessionID)
        #expect(try await opened("did:plc:other") == nil)
        await #expect(throws: StoreConflict.self) { try await stores.signedInByHandle(taken) }
        #expect(try await opened() == ann.sessionID)
        try await stores.handles.endForeignSeals(of: ann.sessionID)
        #expect(try await opened() == nil)
        #expect(try await stores.handle(ann)?.takesForeignSeals == false)
        #expect(try await stores.handles.live(ann.sessionID, at: HandleExample.now) != nil)
    }

    @Test(
        "a session that is over is in no import's way, whatever it died of",
        arguments: StoreUnderTest.allCases,
        AccountSessionDeath.allCases
    )
    func importedAgain(_ database: StoreUnderTest, _ death: AccountSessionDeath) async throws {
        let stores = try database.empty()
        let taken = HandleExample.new(takesForeignSeals: true)
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
