import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

/// `portico user` and `events` on people who signed in at a provider.
@Suite("Where people are signed in, on the command line")
struct UserSessionsCommandTests {
    private static let folder = ".local/share/portico/server"

    /// A data folder in which Ann signed in by Google in a browser and by an app; and Bo, once.
    private struct Place {
        let portico: PorticoProcess
        var ann = ""
        var bo = ""

        init() async throws {
            portico = try PorticoProcess()
            try portico.done(
                "provider add google --client-id 1 --secret-file -",
                input: "a secret\n"
            )
            let file = portico.home.appending(path: UserSessionsCommandTests.folder)
                .appending(path: "portico.sqlite").path
            let database = try SQLiteDatabase(file: file)
            let store = AccountStore(database)
            let realmID = try await Self.realmID(database)
            let now = Clock.system.moment().seconds
            // No key ring of ours sealed Ann's token.
            let google = "https://accounts.google.com"
            let key = IdentityKey(issuer: google, subject: "ann")
            let refresh = RefreshState(
                generation: 1,
                secret: RandomSource.system.bytes(32),
                keyID: [0, 0, 0, 1],
                rotatedAt: now,
                idempotencyKey: nil
            )
            for form in [nil, .app(name: "notes", refresh: refresh)] as [PersonSession.Form?] {
                let event = SignInEvent(
                    key,
                    at: "google",
                    in: realmID,
                    name: "Ann Ruiz",
                    email: "ann@example.com",
                    token: "AAAA",
                    form: form,
                    device: "Firefox on \u{1B}[31mLinux",
                    now: now - (form == nil ? 60 : 30)
                )
                ann = try await Self.signIn(event, store)
            }
            // What says nothing of itself has no device.
            let other = IdentityKey(issuer: google, subject: "bo")
            bo = try await Self.signIn(
                SignInEvent(other, at: "google", in: realmID, now: now),
                store
            )
            try await database.close()
        }

        /// Of the realm that the first provider made.
        private static func realmID(_ database: SQLiteDatabase) async throws -> String {
            let backend = BackendConfigurationStore(database)
            return try #require(try await backend.configuration().realm?.id)
        }

        private static func signIn(_ event: SignInEvent, _ store: AccountStore) async throws
            -> String
        {
            let outcome = try await store.signIn(event, at: event.identity.linkedAt)
            guard case .signedIn(let account, _) = outcome else {
                Issue.record("not signed in")
                return ""
            }
            return account.id
        }

        /// A person signs in with the provider `oidc`, whose token is kept.
        ///
        /// - Returns: Their id.
        func signIn(_ subject: String, at issuer: String) async throws -> String {
            let folder = portico.home.appending(path: UserSessionsCommandTests.folder).path
            let random = RandomSource.system
            let ring = try KeyRing.load(folder + "/key-ring")
            let sealed = SealedAtRest(ring: ring, purpose: "provider token").seal(
                Array("kept-for-\(subject)".utf8),
                for: "\(issuer) \(subject)",
                random: random
            )
            let database = try SQLiteDatabase(file: folder + "/portico.sqlite")
            let event = SignInEvent(
                IdentityKey(issuer: issuer, subject: subject),
                at: "oidc",
                in: try await Self.realmID(database),
                token: Base64URL.encode(sealed),
                now: Clock.system.moment().seconds
            )
            let account = try await Self.signIn(event, AccountStore(database))
            try await database.close()
            return account
        }

        func run(_ line: String) throws -> PorticoProcess.Outcome { try portico.run(line) }
    }

    private func json(_ outcome: PorticoProcess.Outcome) throws -> JSONObject {
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try outcome.json
    }

    @Test(
        "people who came by a provider are listed, found by their address, and shown without a token"
    )
    func reading() async throws {
        let place = try await Place()
        let realms = try place.run("realm list --plain").stdout
        #expect(realms.hasPrefix("home\t"), "\(realms)")
        let list = try place.run("user list --plain").stdout
        #expect(list.contains("\(place.ann)\tAnn Ruiz\tann@example.com ✓\tactive\t"))
        #expect(list.contains(place.bo))
        let found = try json(place.run("user list --email ANN@example.com --json"))
        #expect(found.array("items")?.count == 1)
        let nobody = try place.run("user list --email nobody@example.com")
        #expect(nobody.stderr.hasPrefix("No one has that address."))
        let shown = try json(place.run("user show \(place.ann) --json"))
        #expect(shown.int64("live_sessions") == 2)
        #expect(shown.string("email_proven_by") == "authority")
        #expect(shown.object("registration")?.string("provider") == "google")
        let way = try #require(shown.array("identities")?.first?.object)
        #expect(way.string("subject") == "ann")
        #expect(way.bool("has_token") == true)
        let text = try place.run("user show \(place.ann)").stdout
        #expect(text.contains("Signs in with  google (ann@example.com)"))
        #expect(!text.contains("AAAA"))
        let identities = try place.run("user identities \(place.ann) --plain").stdout
        #expect(identities.hasPrefix("google\tann\tann@example.com\t"))
    }

    @Test("a person is blocked, which ends their sessions, and let in again")
    func blocking() async throws {
        let place = try await Place()
        #expect(try place.run("user block \(place.ann) -n").stderr.contains("dry run"))
        #expect(try json(place.run("user show \(place.ann) --json")).bool("enabled") == true)
        let done = try place.run("user block \(place.ann)")
        #expect(done.stderr.contains("Undo: portico user unblock \(place.ann) --realm home"))
        let shown = try json(place.run("user show \(place.ann) --json"))
        #expect(shown.bool("enabled") == false)
        #expect(shown.int64("live_sessions") == 0)
        #expect(try place.run("user block \(place.ann)").stderr.contains("Nothing to change"))
        #expect(try place.run("user unblock \(place.ann)").status == 0)
        let after = try json(place.run("user show \(place.ann) --json"))
        #expect(after.bool("enabled") == true)
    }

    @Test("a person is deleted once their name was typed again; what was not revoked is said")
    func deleting() async throws {
        let place = try await Place()
        let unasked = try place.run("user delete \(place.ann)")
        #expect(unasked.status == 2)
        #expect(unasked.stderr.contains("This deletes Ann Ruiz of realm home"))
        let dry = try place.run("user delete \(place.ann) -n")
        #expect(dry.stderr.contains("Would have deleted \(place.ann) of home"))
        #expect(try place.run("user show \(place.ann)").status == 0)
        let done = try place.run("user delete \(place.ann) --confirm \(place.ann)")
        #expect(done.status == 0)
        #expect(done.stderr.contains("google: its token can no longer be opened"))
        #expect(try place.run("user show \(place.ann)").status == 1)
        #expect(try !place.run("user list --plain").stdout.contains(place.ann))
        // Who has given nothing to keep leaves nothing to be said.
        let other = try place.run("user delete \(place.bo) --confirm \(place.bo)")
        #expect(other.stderr.split(separator: "\n").count == 1)
    }

    @Test(
        "PRV-A-19: a deletion gives back what a provider gave us to keep, or says that it did not"
    )
    func revoking() async throws {
        let provider = try LocalProvider()
        let place = try await Place()
        let added = try place.run(
            "provider add oidc --client-id portico --issuer \(provider.issuer) --allow-insecure-loopback --without-secret"
        )
        #expect(added.status == 0, "\(added.stderr)")
        // A sign-out does, too (OIDCRPL-6-3).
        let out = try await place.signIn("none", at: provider.issuer)
        let ended = try place.run("user sign-out \(out)")
        #expect(ended.stderr.contains("oidc has revoked its token."), "\(ended.stderr)")
        let again = try place.run("user sign-out \(out)")
        #expect(!again.stderr.contains("revoked its token"))
        for (subject, expected) in [("one", true), ("two", false)] {
            let account = try await place.signIn(subject, at: provider.issuer)
            if !expected {
                _ = try place.run("provider update oidc --disable-provider")
            }
            let done = try place.run("user delete \(account) --confirm \(account)")
            #expect(done.status == 0, "\(done.stderr)")
            #expect(done.stderr.contains("oidc has revoked its token.") == expected)
            #expect(done.stderr.contains("oidc is no longer set up") != expected)
        }
        let revocations = provider.requests.filter { $0.hasPrefix("POST /revoke ") }
        #expect(revocations.count == 2)
        #expect(revocations.first?.contains("token=kept-for-none&") == true)
        #expect(revocations.last?.contains("token=kept-for-one&") == true)
    }

    @Test("sessions are listed, and end one by one or all at once")
    func sessions() async throws {
        let place = try await Place()
        let list = try place.run("user sessions \(place.ann)").stdout
        #expect(list.contains("notes"))
        // What an app called itself does not steer the terminal.
        #expect(!list.contains("\u{1B}"))
        let items = try json(place.run("user sessions \(place.ann) --json"))
        let ids = try #require(items.array("items")).compactMap { $0.object?.string("id") }
        try #require(ids.count == 2)
        // Ann's session is none of Bo's.
        let foreign = try place.run("user sign-out \(place.bo) --session \(ids[0])")
        #expect(foreign.status == 1)
        #expect(foreign.stderr.contains("There is no live session"))
        let dry = try place.run("user sign-out \(place.ann) --session \(ids[0]) -n")
        #expect(dry.stderr.contains("Nothing written (dry run)."))
        let bos = try json(place.run("user sessions \(place.bo) --json"))
        let unknown = try #require(bos.array("items")?.first?.object?.string("id"))
        let seen = try place.run("user sign-out \(place.bo) --session \(unknown) -n")
        #expect(seen.stderr.contains(" on an unknown device."), "\(seen.stderr)")
        let row = try place.run("user sessions \(place.bo)").stdout
        #expect(row.contains("\(unknown)  –"), "\(row)")
        #expect(try place.run("user sign-out \(place.ann) --session \(ids[0])").status == 0)
        #expect(try place.run("user sign-out \(place.ann) --session \(ids[0])").status == 1)
        let all = try place.run("user sign-out \(place.ann)")
        #expect(all.stderr.contains("Ended 1 session of Ann Ruiz."))
        let none = try place.run("user sessions \(place.ann)")
        #expect(none.stderr == "Ann Ruiz is not signed in anywhere.\n")
    }

    @Test("events are shown in order, by type, by person, and as they happen")
    func events() async throws {
        let place = try await Place()
        let lines = try place.run("events").stdout.split(separator: "\n")
        #expect(lines.first?.contains("realm.created") == true)
        #expect(lines.contains { $0.contains("account.registered") })
        let signIns = try place.run("events --kind sign_in.ok --user \(place.ann) --jsonl")
            .stdout.split(separator: "\n")
        #expect(!signIns.isEmpty)
        for line in signIns {
            let event = try JSONObject(parsing: Array(line.utf8))
            #expect(event.string("kind") == "sign_in.ok")
            #expect(event.string("subject") == place.ann)
        }
        let wrong = try place.run("events --kind sign_in.okay")
        #expect(wrong.status == 2)
        #expect(wrong.stderr.contains("Did you mean \"sign_in.ok\"?"))
        let following = try place.portico.start(["events", "-f", "--limit", "0"])
        // It follows once its first look is behind it: what is done again and again is seen.
        let seen = Task { try await following.wait(forOutput: /person\.updated/) }
        for _ in 0..<5 {
            _ = try place.run("user block \(place.bo)")
            _ = try place.run("user unblock \(place.bo)")
            if following.stdout.contains("person.") { break }
        }
        _ = try await seen.value
    }
}
