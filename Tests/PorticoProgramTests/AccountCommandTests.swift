import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

/// `portico account`, `session` and `events` on accounts that a server has made.
@Suite("Accounts on the command line")
struct AccountCommandTests {
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
            let file = portico.home.appending(path: AccountCommandTests.folder)
                .appending(path: "portico.sqlite").path
            let database = try SQLiteDatabase(file: file)
            let store = AccountStore(database)
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
            for form in [nil, .app(name: "notes", refresh: refresh)] as [NewAccountSession.Form?] {
                let event = SignInEvent(
                    key,
                    at: "google",
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
            bo = try await Self.signIn(SignInEvent(other, at: "google", now: now), store)
            try await database.close()
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
        /// - Returns: The id of the account.
        func signIn(_ subject: String, at issuer: String) async throws -> String {
            let folder = portico.home.appending(path: AccountCommandTests.folder).path
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
                token: Base64URL.encode(sealed),
                now: Clock.system.moment().seconds
            )
            let account = try await Self.signIn(event, AccountStore(database))
            try await database.close()
            return account
        }

        /// What waits to be sent.
        func mails() async throws -> [MailDraft] {
            let folder = portico.home.appending(path: AccountCommandTests.folder).path
            let database = try SQLiteDatabase(file: folder + "/portico.sqlite")
            let mails = try await OutboxStore(database).latest(limit: 10).map(\.draft)
            try await database.close()
            return mails
        }

        func run(_ line: String) throws -> PorticoProcess.Outcome { try portico.run(line) }
    }

    private func json(_ outcome: PorticoProcess.Outcome) throws -> JSONObject {
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try outcome.json
    }

    @Test("accounts are listed, found by their address, and shown without a token")
    func reading() async throws {
        let place = try await Place()
        let list = try place.run("account list --plain").stdout
        #expect(list.contains("\(place.ann)\tAnn Ruiz\tann@example.com ✓\tactive\t"))
        #expect(list.contains(place.bo))
        let found = try json(place.run("account list --email ANN@example.com --json"))
        #expect(found.array("items")?.count == 1)
        let first = try json(place.run("account list --limit 1 --json"))
        #expect(first.string("next") == place.ann)
        let rest = try place.run("account list --cursor \(place.ann) --plain").stdout
        #expect(rest.hasPrefix(place.bo))
        let shown = try json(place.run("account show \(place.ann) --json"))
        #expect(shown.int64("live_sessions") == 2)
        let way = try #require(shown.array("identities")?.first?.object)
        #expect(way.string("subject") == "ann")
        #expect(way.bool("has_token") == true)
        let text = try place.run("account show \(place.ann)").stdout
        #expect(text.contains("Signs in with  google (ann@example.com)"))
        #expect(!text.contains("AAAA"))
    }

    @Test("an account is blocked, which ends its sessions, and let in again")
    func blocking() async throws {
        let place = try await Place()
        #expect(try place.run("account block \(place.ann) -n").stderr.contains("dry run"))
        #expect(try json(place.run("account show \(place.ann) --json")).bool("blocked") == false)
        let done = try place.run("account block \(place.ann)")
        #expect(done.stderr.contains("Undo: portico account unblock \(place.ann)"))
        let shown = try json(place.run("account show \(place.ann) --json"))
        #expect(shown.bool("blocked") == true)
        #expect(shown.int64("live_sessions") == 0)
        #expect(try place.run("account block \(place.ann)").stderr.contains("Nothing to change"))
        #expect(try place.run("account unblock \(place.ann)").status == 0)
        let after = try json(place.run("account show \(place.ann) --json"))
        #expect(after.bool("blocked") == false)
    }

    @Test("an account is deleted once its id was typed again; what was not revoked is said")
    func deleting() async throws {
        let place = try await Place()
        let unasked = try place.run("account delete \(place.ann)")
        #expect(unasked.status == 2)
        #expect(unasked.stderr.contains("This deletes Ann Ruiz, who signs in with google"))
        let dry = try place.run("account delete \(place.ann) -n")
        #expect(dry.stderr.contains("Would have deleted account \(place.ann)"))
        #expect(try place.run("account show \(place.ann)").status == 0)
        let done = try place.run("account delete \(place.ann) --confirm \(place.ann)")
        #expect(done.status == 0)
        #expect(done.stderr.contains("google: its token can no longer be opened"))
        #expect(try place.run("account show \(place.ann)").status == 1)
        // Her address is told.
        let told = try await place.mails()
        #expect(told.map(\.to) == ["ann@example.com"])
        #expect(told.map(\.message) == [.accountDeleted])
        // No one who was deleted comes back with a cookie, or stays in a list.
        #expect(try !place.run("account list --plain").stdout.contains(place.ann))
        // Who has given nothing to keep leaves nothing to be said.
        let other = try place.run("account delete \(place.bo) --confirm \(place.bo)")
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
        let ended = try place.run("session revoke --all --account \(out)")
        #expect(ended.stderr.contains("oidc has revoked its token."), "\(ended.stderr)")
        let again = try place.run("session revoke --all --account \(out)")
        #expect(!again.stderr.contains("revoked its token"))
        for (subject, expected) in [("one", true), ("two", false)] {
            let account = try await place.signIn(subject, at: provider.issuer)
            if !expected {
                _ = try place.run("provider update oidc --disable-provider")
            }
            let done = try place.run("account delete \(account) --confirm \(account)")
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
        let list = try place.run("session list --account \(place.ann)").stdout
        #expect(list.contains("notes"))
        // What an app called itself does not steer the terminal.
        #expect(!list.contains("\u{1B}"))
        let items = try json(place.run("session list --account \(place.ann) --json"))
        let ids = try #require(items.array("items")).compactMap { $0.object?.string("id") }
        try #require(ids.count == 2)
        // Bo's account does not have Ann's session.
        let foreign = try place.run("session revoke \(ids[0]) --account \(place.bo)")
        #expect(foreign.status == 1)
        #expect(foreign.stderr.contains("There is no live session"))
        let dry = try place.run("session revoke \(ids[0]) --account \(place.ann) -n")
        #expect(dry.stderr.contains("Nothing written (dry run)."))
        let bos = try json(place.run("session list --account \(place.bo) --json"))
        let unknown = try #require(bos.array("items")?.first?.object?.string("id"))
        let seen = try place.run("session revoke \(unknown) -n")
        #expect(seen.stderr.contains(" on an unknown device."), "\(seen.stderr)")
        let row = try place.run("session list --account \(place.bo)").stdout
        #expect(row.contains("\(unknown)  –"), "\(row)")
        #expect(try place.run("session revoke \(ids[0])").status == 0)
        #expect(try place.run("session revoke \(ids[0]) --account \(place.ann)").status == 1)
        let all = try place.run("session revoke --all --account \(place.ann)")
        #expect(all.stderr.contains("Ended 1 session of Ann Ruiz."))
        let none = try place.run("session list --account \(place.ann)")
        #expect(none.stderr == "Ann Ruiz is not signed in anywhere.\n")
    }

    @Test("events are shown in order, by type, by account, and as they happen")
    func events() async throws {
        let place = try await Place()
        let lines = try place.run("events").stdout.split(separator: "\n")
        #expect(lines.first?.contains("account.registered") == true)
        let signIns = try place.run("events --kind sign_in.ok --account \(place.ann) --jsonl")
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
        let seen = Task { try await following.wait(forOutput: /account\.(?:un)?blocked/) }
        for _ in 0..<5 {
            _ = try place.run("account block \(place.bo)")
            _ = try place.run("account unblock \(place.bo)")
            if following.stdout.contains("account.") { break }
        }
        _ = try await seen.value
    }

    @Test("what is no account, and where no one is, is said")
    func wrong() async throws {
        let place = try await Place()
        let malformed = try place.run("account show ann")
        #expect(malformed.status == 2)
        #expect(malformed.stderr.contains("\"ann\" is not the id of an account. (wrong-value)"))
        let unknown = "00000000-0000-4000-8000-000000000000"
        let missing = try place.run("account show \(unknown)")
        #expect(missing.status == 1)
        #expect(missing.stderr.contains("See all: portico account list"))
        #expect(try place.run("session list").status == 2)
        #expect(try place.run("session revoke --account \(place.ann)").status == 2)
        #expect(try place.run("session revoke --all").status == 2)
        #expect(try place.run("session revoke mine").status == 2)
        #expect(try place.run("session revoke \(unknown)").status == 1)
        #expect(try place.run("account list --cursor x").status == 2)
        let nobody = try place.run("account list --email nobody@example.com")
        #expect(nobody.stderr.hasPrefix("No account has that address."))
    }
}
