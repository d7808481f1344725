import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("AccountStore: giving an app its session", .everyDatabase) struct HandOffContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test("decision 0013: a session waits for its app, and is live from its code's redemption on")
    func redemption() async throws {
        let (code, account, sessionID) = try await stores.waiting()
        #expect(try await stores.isLive(sessionID) == false)
        #expect(try await stores.rotate(sessionID, 1) == .outdated)
        #expect(try await stores.sessions(of: account.id).isEmpty)
        let later = AccountExample.now + 59
        var presentation = AccountExample.presentation(of: code)
        presentation.refresh.idempotencyKey = Hash256(of: "key")
        let outcome = try await stores.sessions.redeem(presentation, at: later)
        var session = PersonSession(
            AccountExample.session(.handOff(code), id: sessionID),
            of: account,
            epoch: 0,
            by: AccountExample.identity(),
            at: AccountExample.now
        )
        session.form = .app(name: "notes", refresh: presentation.refresh)
        session.lastSeenAt = later
        let live = LiveSession(session: session, person: account, providers: ["google"])
        #expect(outcome == .redeemed(live, isNew: true))
        #expect(try await stores.kinds() == [.registered, .handOffRedeemed])
        #expect(try await stores.liveByFirstStep(id: sessionID, at: later) == live)
        #expect(try await stores.rotate(sessionID, 1) == .rotated)
    }

    @Test("a redemption says whether its sign-in made the account")
    func isNew() async throws {
        let (first, second) = (try await stores.waiting(), try await stores.waiting())
        #expect(try await stores.redeem(second.code).isNew == false)
        #expect(try await stores.redeem(first.code).isNew == true)
    }

    @Test(
        "decision 0013: of any number of concurrent redemptions of a code exactly one gets the session"
    )
    func race() async throws {
        for _ in 1...20 {
            let code = try await stores.waiting().code
            let outcomes = try await concurrently(20) { _ in try await stores.redeem(code) }
            #expect(outcomes.filter { $0.isNew != nil }.count == 1)
            #expect(outcomes.count(of: .refused(.alreadyUsed)) == 19)
        }
    }

    @Test(
        "decision 0033: a presentation that is wrong in any respect spends the code",
        arguments: WrongHandOff.allCases
    )
    func wrong(_ wrong: WrongHandOff) async throws {
        let (code, _, sessionID) = try await stores.waiting()
        let presentation = wrong.presentation(of: code)
        let outcome = try await stores.sessions.redeem(presentation, at: wrong.now(for: code))
        #expect(outcome == .refused(wrong.refusal))
        #expect(try await stores.redeem(code) == .refused(.alreadyUsed))
        #expect(try await stores.isLive(sessionID) == false)
        #expect(try await stores.kinds() == [.registered, .handOffRefused, .handOffRefused])
    }

    @Test("decision 0033: of a right and many wrong presentations at once one spends the code")
    func wrongRace() async throws {
        for _ in 1...20 {
            let code = try await stores.waiting().code
            let outcomes = try await concurrently(10) { index in
                try await stores.sessions.redeem(
                    index == 0
                        ? AccountExample.presentation(of: code)
                        : WrongHandOff.verifier.presentation(of: code),
                    at: AccountExample.now
                )
            }
            let first = outcomes.filter { $0.isNew != nil }.count
            #expect(first + outcomes.count(of: .refused(.wrongVerifier)) == 1)
            #expect(outcomes.count(of: .refused(.alreadyUsed)) == 9)
        }
    }

    @Test("RFC 6749 §4.1.2: a second right presentation ends what the first one got")
    func replay() async throws {
        let (code, _, sessionID) = try await stores.waiting()
        #expect(try await stores.redeem(code).isNew == true)
        #expect(try await stores.redeem(code) == .refused(.alreadyUsed))
        #expect(try await stores.isLive(sessionID) == false)
    }

    @Test(
        "a wrong presentation after the right one is refused and ends nothing",
        arguments: [WrongHandOff.app, .redirect, .verifier]
    )
    func lateWrong(_ wrong: WrongHandOff) async throws {
        let (code, _, sessionID) = try await stores.waiting()
        #expect(try await stores.redeem(code).isNew == true)
        let presentation = wrong.presentation(of: code)
        let outcome = try await stores.sessions.redeem(presentation, at: AccountExample.now)
        #expect(outcome == .refused(.alreadyUsed))
        #expect(try await stores.isLive(sessionID))
    }

    @Test(
        "no session comes of a code whose account is blocked, or whose session was ended",
        arguments: [
            AccountSessionDeath.ended, .signedOutEverywhere, .blocked, .unblocked, .unlinked,
            .providerLogout,
        ]
    )
    func gone(_ death: AccountSessionDeath) async throws {
        let (code, account, sessionID) = try await stores.waiting()
        let ann = TestDatabase.SignedIn(
            account: account,
            cookie: AccountExample.freshHash(),
            sessionID: sessionID
        )
        try await death.happen(to: ann, in: stores)
        #expect(try await stores.redeem(code) == .refused(.accountGone))
        #expect(try await stores.isLive(sessionID) == false)
    }

    @Test("signing out everywhere but here ends what waits for its app, too")
    func elsewhere() async throws {
        let code = try await stores.waiting().code
        let here = try await stores.signedIn()
        _ = try await stores.sessions.signOutEverywhere(
            of: here.account.id,
            except: here.sessionID,
            at: AccountExample.now
        )
        #expect(try await stores.redeem(code) == .refused(.accountGone))
    }

    @Test("a code that is none of ours is unknown, and so is that of an account that was deleted")
    func unknown() async throws {
        #expect(try await stores.redeem(AccountExample.handOff()) == .unknown)
        let (code, account, _) = try await stores.waiting()
        _ = try await stores.delete(account.id)
        #expect(try await stores.redeem(code) == .unknown)
    }
}

/// One respect in which a code is presented wrongly.
enum WrongHandOff: String, CaseIterable, CustomTestStringConvertible {
    case app = "by another app"
    case redirect = "with another redirect URI"
    case verifier = "with another verifier"
    case late = "too late"

    var testDescription: String { rawValue }

    var refusal: HandOffRefusal {
        switch self {
        case .app: .otherApp
        case .redirect: .otherRedirect
        case .verifier: .wrongVerifier
        case .late: .expired
        }
    }

    func presentation(of code: HandOff) -> HandOffPresentation {
        var presentation = AccountExample.presentation(of: code)
        switch self {
        case .app: presentation.app = "other"
        case .redirect: presentation.redirectHash = Hash256(of: "com.example.notes:/other")
        case .verifier: presentation.challenge = Hash256(of: "guess")
        case .late: break
        }
        return presentation
    }

    func now(for code: HandOff) -> Int64 {
        self == .late ? code.expiresAt : AccountExample.now
    }
}

extension TestDatabase {
    func redeem(_ code: HandOff, at now: Int64 = AccountExample.now) async throws
        -> HandOffRedemption
    {
        try await sessions.redeem(AccountExample.presentation(of: code), at: now)
    }
}

extension HandOffRedemption {
    /// `nil` where nothing was redeemed.
    var isNew: Bool? {
        if case .redeemed(_, let isNew) = self { isNew } else { nil }
    }
}
