import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("The cookie sid") struct SidCookieTests {
    private static let password = "a password of our own, long enough for two"

    /// The check, over a scene's database.
    struct SidUnderTest {
        let scene: HandleScene
        let cookie: SidCookie
        let check: HandleSessionCheck
        let seals: IronSession

        init(_ scene: HandleScene, _ passwords: IronPasswords? = nil) throws {
            let passwords =
                try passwords
                ?? IronPasswords(session: SecretText(SidCookieTests.password))
            self.scene = scene
            cookie = SidCookie(
                CookiePolicy(try PublicURL("https://app.example.com")),
                passwords: passwords
            )
            seals = IronSession(passwords)
            check = HandleSessionCheck(
                handles: scene.handles,
                cookie: cookie,
                activity: SessionActivity(scene.database.sessions)
            )
        }

        var now: Int64 { scene.clock.seconds * 1000 }

        func seal(_ session: HandleSession, createdAt: Int64? = nil) throws -> String {
            try cookie.seal(
                SidCookie.Content(
                    did: session.did,
                    createdAt: createdAt ?? session.createdAt * 1000,
                    lastAccessed: now,
                    session: session.sessionID
                ),
                at: scene.moment
            )
        }

        /// A seal as another system makes it.
        func foreign(_ object: JSONObject) throws -> String {
            try seals.seal(object, seconds: 1_209_600, at: now, random: .system)
        }

        func open(_ headers: HTTPFields) async throws -> HandleSessionCheck.Checked {
            let moment = scene.moment
            let presented = check.cookie.presented(headers, at: moment)
            return try await check.checked(
                try await check.reading(of: presented, at: moment.seconds),
                at: moment
            )
        }

        func open(_ seal: String) async throws -> HandleSessionCheck.Checked {
            try await open([.cookie: "sid=\(seal)"])
        }

        func absence(_ headers: HTTPFields) async throws -> HandleSessionCheck.Absence? {
            do {
                _ = try await open(headers)
                return nil
            } catch let absence as HandleSessionCheck.Absence {
                return absence
            }
        }

        func absence(_ seal: String) async throws -> HandleSessionCheck.Absence? {
            try await absence([.cookie: "sid=\(seal)"])
        }
    }

    @Test("IRON-S-8, IRON-S-12: sid is a plain seal, for 14 days, HttpOnly, Secure, Lax, at /")
    func attributes() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let seal = try sid.seal(session)
        #expect(seal.wholeMatch(of: /Fe26\.2\*1\*[A-Za-z0-9_\-*]+~2/) != nil)
        let field = try sid.cookie.set(seal, for: SidCookie.lifetime)
        #expect(field.name == .setCookie)
        #expect(
            field.value
                == "sid=\(seal); Path=/; Max-Age=1209600; Secure; HttpOnly; SameSite=Lax"
        )
        let object = try sid.seals.open(seal, at: sid.now).object
        #expect(object.string("did") == session.did)
        #expect(object.int64("createdAt") == session.createdAt * 1000)
        #expect(object.int64("lastAccessed") == sid.now)
        #expect(object.string("session") == session.sessionID)
        #expect(object.count == 4)
    }

    @Test("IRON-S-9, IRON-S-10: a cookie too long is an error; sid is removed with its attributes")
    func limits() throws {
        let sid = try SidUnderTest(HandleScene())
        #expect(throws: CookiePolicy.Refusal.tooLong) {
            try sid.cookie.set(String(repeating: "x", count: 4094), for: 60)
        }
        #expect(
            sid.cookie.remove.value == "sid=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"
        )
    }

    @Test("IRON-S-12, IRON-S-13: sid opens plain, percent-encoded, and as a bearer")
    func forms() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let seal = try sid.seal(session)
        let encoded = seal.replacing("*", with: "%2A").replacing("~", with: "%7e")
        let requests: [HTTPFields] = [
            [.cookie: "sid=\(seal)"], [.cookie: "a=b; sid=\(encoded); c=d"],
            [.authorization: "Bearer \(seal)"], [.authorization: "bearer \(encoded)"],
        ]
        for headers in requests {
            let checked = try await sid.open(headers)
            #expect(checked.session.handle == session)
            #expect(checked.fields.isEmpty)
        }
    }

    @Test("WEB-COOKIE-7: two of the name are refused, and so is what does not open")
    func invalid() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let seal = try sid.seal(session)
        #expect(try await sid.absence([:])?.cause == .noCookie)
        let other = IronSession(
            try IronPasswords(session: SecretText("another password, which is as long as it"))
        )
        let stranger = try other.seal(
            ["did": .string(session.did), "session": .string(session.sessionID)],
            seconds: 60,
            at: sid.now,
            random: .system
        )
        var doubled: HTTPFields = [.authorization: "Bearer \(seal)"]
        doubled.append(HTTPField(name: .authorization, value: "Bearer \(seal)"))
        let requests: [HTTPFields] = [
            [.cookie: "sid=\(seal); sid=\(seal)"], [.cookie: "sid="], [.cookie: "sid=x"],
            [.cookie: "sid=\(seal)x"], [.cookie: "sid=\(stranger)"],
            [.cookie: "sid=\(String(repeating: "*", count: 1_000_000))"],
            [.authorization: "Basic \(seal)"], [.authorization: seal], [.authorization: "Bearer"],
            [.authorization: "Bearer \u{E9}", .cookie: "sid=\(seal)"], doubled,
        ]
        for headers in requests {
            #expect(try await sid.absence(headers)?.cause == .invalidCookie)
        }
    }

    @Test("WEB-COOKIE-7: of many cookies of the name each value is read once, and ten at most")
    func together() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let seals = try (1...12).map { try sid.seal(session, createdAt: Int64($0)) }
        func read(_ values: [String]) -> Int {
            let cookies = values.map { "sid=\($0)" }.joined(separator: "; ")
            return sid.cookie.presentedTogether([.cookie: cookies], at: sid.scene.moment).count
        }
        #expect(read([seals[0]]) == 0)
        #expect(read([String](repeating: seals[0], count: 40)) == 1)
        // What does not open takes no place of one that does.
        #expect(read((1...20).map { "planted\($0)" } + seals.prefix(2)) == 2)
        #expect(read(seals) == 10)
    }

    @Test("IRON-S-13: a seal without a DID, or with a session that is none, is invalid")
    func content() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let id = JSONValue.string(session.sessionID)
        let objects: [JSONObject] = [
            ["session": id], ["did": 1, "session": id], ["did": ""],
            ["did": .string(session.did), "session": "x"],
            ["did": .string(session.did), "session": 1],
            // Of another person.
            ["did": "did:plc:other", "session": id],
            ["persistent": ["did": .string(session.did), "session": id]],
        ]
        for object in objects {
            #expect(try await sid.absence(sid.foreign(object))?.cause == .invalidCookie)
        }
    }

    @Test("IRON-S-15: a copied sid dies with its session, and the refusal says the handle")
    func copied() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let seal = try sid.seal(session)
        _ = try await sid.open(seal)
        try await sid.scene.signOut(session.sessionID)
        let absence = try #require(try await sid.absence(seal))
        #expect(absence.cause == .expired)
        #expect(absence.handle == "ann.example.com")
        guard case .object(let json)? = absence.json else { throw Unexpected() }
        #expect(json.string("reason") == "SESSION_EXPIRED")
        #expect(json.string("handle") == "ann.example.com")
        #expect(absence.status == .unauthorized)
    }

    @Test("IRON-S-14: sid is sealed again after 15 minutes, with createdAt as it was")
    func rolling() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let seal = try sid.seal(session)
        sid.scene.clock.advance(by: 899)
        #expect(try await sid.open(seal).fields.isEmpty)
        #expect(try await sid.open(seal).seal == SecretText(seal))
        sid.scene.clock.advance(by: 1)
        let checked = try await sid.open(seal)
        let next = checked.seal.reveal()
        #expect(next != seal)
        let cookie = try sid.cookie.set(next, for: SidCookie.lifetime)
        #expect(checked.fields == HTTPFields([cookie]))
        let object = try sid.seals.open(next, at: sid.now).object
        #expect(object.int64("createdAt") == session.createdAt * 1000)
        #expect(object.int64("lastAccessed") == sid.now)
        #expect(object.string("session") == session.sessionID)
        #expect(try await sid.open(next).fields.isEmpty)
        // What comes as a bearer goes back in an answer, not as a cookie.
        let bearer = try await sid.open([.authorization: "Bearer \(seal)"])
        #expect(bearer.fields.isEmpty)
        #expect(bearer.seal != SecretText(seal))
    }

    @Test("IRON-S-14: a seal ends after 14 days and its session after 90, however often used")
    func absolute() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        var seal = try sid.seal(session)
        let first = seal
        for day in 1..<90 {
            sid.scene.clock.advance(by: 86_400)
            if day == 15 { #expect(try await sid.absence(first)?.cause == .invalidCookie) }
            seal = try await sid.open(seal).seal.reveal()
            try await sid.check.activity.flush()
        }
        sid.scene.clock.advance(by: 86_399)
        _ = try await sid.open(seal)
        // By its own time, also where the row's would be longer.
        try await sid.scene.prolong(session.sessionID)
        sid.scene.clock.advance(by: 1)
        #expect(try await sid.absence(seal)?.cause == .expired)
    }

    @Test("IRON-S-15: another system's seal opens a session from there, and gets one of ours")
    func foreign() async throws {
        let sid = try SidUnderTest(HandleScene())
        let did = HandleScene.did
        let seal = try sid.foreign([
            "did": .string(did), "createdAt": .integer(sid.now - 86_400_000),
            "lastAccessed": .integer(sid.now),
        ])
        // Its row is not here.
        let absence = try #require(try await sid.absence(seal))
        #expect(absence.cause == .expired)
        #expect(absence.handle == did)
        _ = try await sid.scene.signedIn()
        #expect(try await sid.absence(seal)?.handle == "ann.example.com")
        let session = try await sid.scene.signedIn(foreignSealsUntil: .max)
        // The answer may get lost.
        for _ in 1...2 {
            let checked = try await sid.open(seal)
            #expect(checked.session.handle == session)
            #expect(!checked.fields.isEmpty)
            let object = try sid.seals.open(checked.seal.reveal(), at: sid.now).object
            #expect(object.int64("createdAt") == sid.now - 86_400_000)
        }
        let ours = try await sid.open(seal).seal.reveal()
        #expect(try await sid.open(ours).session.handle == session)
        // It has arrived. An app that keeps the first one begins with that at each launch.
        #expect(try await sid.open(seal).session.handle == session)
    }

    @Test("decision 0066: another system's seal opens a session as long as that says, not longer")
    func foreignUntil() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn(
            foreignSealsUntil: sid.scene.clock.seconds + 1000
        )
        // Its own end is later.
        let seal = try sid.foreign(["did": .string(session.did)])
        let brief = try sid.seals.seal(
            ["did": .string(session.did)],
            seconds: 500,
            at: sid.now,
            random: .system
        )
        sid.scene.clock.advance(by: 499)
        _ = try await sid.open(brief)
        // A minute more for clocks that go wrong.
        sid.scene.clock.advance(by: 61)
        #expect(try await sid.absence(brief)?.cause == .invalidCookie)
        sid.scene.clock.advance(by: 439)
        let ours = try await sid.open(seal).seal.reveal()
        sid.scene.clock.advance(by: 1)
        #expect(try await sid.absence(seal)?.cause == .expired)
        #expect(try await sid.absence(seal)?.handle == "ann.example.com")
        #expect(try await sid.open(ours).session.handle.sessionID == session.sessionID)
    }

    @Test("decision 0066: another system's password is one more of the ring, and ours seals")
    func movedPassword() async throws {
        let theirs = SecretText(Self.password)
        let ring = try IronPasswords([
            ("1", .text(theirs)), ("2", .text(SecretText(RandomSource.system.text(32)))),
        ])
        let sid = try SidUnderTest(HandleScene(), ring)
        let session = try await sid.scene.signedIn(foreignSealsUntil: .max)
        let other = IronSession(try IronPasswords(session: theirs))
        let seal = try other.seal(
            ["did": .string(session.did)],
            seconds: 1_209_600,
            at: sid.now,
            random: .system
        )
        let checked = try await sid.open(seal)
        #expect(checked.session.handle == session)
        #expect(checked.seal.reveal().hasPrefix("Fe26.2*2*"))
        #expect(throws: IronError.self) { try other.open(checked.seal.reveal(), at: sid.now) }
        _ = try await sid.open(checked.seal.reveal())
    }

    @Test("IRON-S-15: a sign-out ends at once what another system's seal opens, for all copies")
    func foreignSignedOut() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn(foreignSealsUntil: .max)
        let seal = try sid.foreign(["did": .string(session.did)])
        let ours = try await sid.open(seal).seal.reveal()
        try await sid.scene.signOut(session.sessionID)
        for copy in [seal, ours] {
            #expect(try await sid.absence(copy)?.cause == .expired)
        }
    }

    @Test("IRON-S-14: another system's seal cannot say that it began later than its row")
    func foreignTimes() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn(foreignSealsUntil: .max)
        for created in [nil, .max, sid.now + 86_400_000] as [Int64?] {
            var object: JSONObject = ["did": .string(session.did)]
            object["createdAt"] = created.map { .integer($0) }
            let checked = try await sid.open(sid.foreign(object))
            let made = try sid.seals.open(checked.seal.reveal(), at: sid.now).object
            #expect(made.int64("createdAt") == session.createdAt * 1000)
        }
        for created in [.min, 0, sid.now - HandleSessionCheck.longest * 1000] as [Int64] {
            let seal = try sid.foreign([
                "did": .string(session.did), "createdAt": .integer(created),
            ])
            #expect(try await sid.absence(seal)?.cause == .expired)
        }
    }

    @Test("IRON-S-17, attack F06: what is sealed for an attempt is no sid, and a sid is no attempt")
    func purposes() async throws {
        let sid = try SidUnderTest(HandleScene())
        let session = try await sid.scene.signedIn()
        let attempts = Seal(ring: TestRealm.ring, purpose: "sign-in attempt", realm: "")
        let attempt = attempts.seal(
            Array(session.did.utf8),
            at: sid.scene.clock.now,
            random: .system
        )
        #expect(try await sid.absence(attempt)?.cause == .invalidCookie)
        let seal = try sid.seal(session)
        #expect(throws: SealError.self) {
            try attempts.open(seal, at: sid.scene.clock.now, within: 600)
        }
    }

    @Test("a seal that opened is remembered while it is good, and nothing else is")
    func remembered() throws {
        let seals = IronSession(try IronPasswords(session: SecretText(Self.password)))
        let opened = OpenedSeals(capacity: 2)
        let opens = Locked(0)
        func open(_ text: String, at now: Int64) throws {
            _ = try opened.object(in: text, at: now) { () throws(IronError) in
                opens.withLock { $0 += 1 }
                return try seals.open(text, at: now)
            }
        }
        let seal = try seals.seal(["a": 1], seconds: 10, at: 0, random: .system)
        for _ in 1...3 { try open(seal, at: 0) }
        try open(seal, at: 9_999)
        #expect(opens.withLock { $0 } == 1)
        // Another server's clock may be ahead by a minute.
        try open(seal, at: 10_000)
        #expect(opens.withLock { $0 } == 2)
        #expect(throws: IronError.expired) { try open(seal, at: 70_000) }
        for _ in 1...2 { #expect(throws: IronError.components) { try open("x", at: 0) } }
        #expect(opens.withLock { $0 } == 5)
        for _ in 0..<100 {
            try open(seals.seal(["a": 1], seconds: 0, at: 0, random: .system), at: 0)
        }
        #expect(opened.count <= 4)
    }

    struct Unexpected: Error {}
}

extension HandleScene {
    /// As if its account's session had no end of its own.
    func prolong(_ id: String) async throws {
        try await database.database.write { transaction in
            _ = try transaction.run(
                "UPDATE sessions SET expires_at = 9999999999 WHERE id = $1",
                [.text(id)]
            )
        }
    }
}

@Suite("Passwords of the cookie sid that change while a server runs") struct ChangedPasswordsTests {
    private static let session = "/api/auth/session"
    private static let next = SecretText("another password of ours, that is as long")

    /// The file says something else, and is looked at.
    private static func change(
        _ server: HostedBackend,
        _ lines: [(id: String, password: IronPasswords.Password)]
    ) throws {
        let passwords = try IronPasswords(lines, sealing: lines.last?.id)
        server.passwords.withLock { $0 = passwords }
        try server.backend.signIn.directory.refreshPasswords()
    }

    @Test("decision 0060: a new password seals, and one that was taken out opens nothing any more")
    func changed() async throws {
        let server = try await HostedBackend()
        let (_, seal) = try await server.signedIn()
        #expect(try await server.call(Self.session, seal).status == 200)
        try Self.change(server, [("1", .text(HostedBackend.password)), ("2", .text(Self.next))])
        server.clock.advance(by: 901)
        let rolled = try await server.call(Self.session, seal)
        #expect(rolled.status == 200)
        let newer = try #require(rolled.sid)
        #expect(newer.hasPrefix("Fe26.2*2*"))

        try Self.change(server, [("2", .text(Self.next))])
        let refused = try await server.call(Self.session, seal)
        #expect(refused.status == 401)
        #expect(refused.json.string("reason") == "INVALID_COOKIE")
        #expect(try await server.call(Self.session, newer).status == 200)
        // The same id with another password opens nothing, either.
        try Self.change(server, [("2", .text(HostedBackend.password))])
        #expect(try await server.call(Self.session, newer).status == 401)
    }

    @Test("decision 0060: where the passwords are gone, those from before stay, and it is told")
    func gone() async throws {
        let server = try await HostedBackend()
        let (_, seal) = try await server.signedIn()
        server.passwords.withLock { $0 = nil }
        #expect(throws: HandleProviderRefusal.noPasswords) {
            try server.backend.signIn.directory.refreshPasswords()
        }
        #expect(try await server.call(Self.session, seal).status == 200)
    }
}
