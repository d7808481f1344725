import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// People who sign in at a provider are people of the realm, like all others.
@Suite("AccountStore: one person, however they sign in", .everyDatabase) struct OnePersonContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let apple = AccountExample.key("ann", at: AccountExample.apple)
    static let hash = PasswordHash(encoded: "$argon2id$kept")

    /// Ann of a file, with a password, a second factor and an account at Google.
    private func imported(isVerified: Bool = true) async throws -> Person {
        try await stores.makeHome()
        var person = Person(
            id: "ann-of-a-file",
            realmID: "home",
            username: "ann",
            createdAt: AccountExample.now - 1000
        )
        person.givenName = "Ann"
        person.familyName = "Example"
        person.email = "ann@example.com"
        person.isEmailVerified = isVerified
        var new = NewPerson(person: person, password: Self.hash)
        new.identities = [.init(provider: "google", subject: "ann", username: "ann@gmail")]
        new.credentials = [
            Credential(
                id: "app",
                personID: person.id,
                kind: .totp,
                label: "",
                createdAt: 1,
                priority: 0,
                parameters: [:],
                sealedSecret: "sealed"
            )
        ]
        #expect(try await stores.people.create(new) == .created)
        return person
    }

    private func password(of person: Person) async throws -> PasswordHash? {
        try await stores.people.credentials(id: person.id, realmID: "home")?.password
    }

    @Test("an identity of a file is its person's: they sign in by it, and it has its issuer then")
    func identityOfFile() async throws {
        let person = try await imported()
        let before = try await stores.people.identities(of: person.id)
        #expect(before.map(\.issuer) == [nil] && before.map(\.username) == ["ann@gmail"])
        let ann = try await stores.signedIn(rule: .ask)
        #expect(ann.account.id == person.id)
        #expect(ann.account.fullName == "Ann Example")
        #expect(try await password(of: person) == Self.hash)
        let after = try await stores.people.identities(of: person.id)
        #expect(after.map(\.key) == [AccountExample.ann])
        #expect(after.map(\.username) == ["ann@gmail"])
        #expect(after.map(\.lastUsedAt) == [AccountExample.now])
        #expect(try await stores.registered().map(\.id) == [person.id])
        // That id at another issuer is someone else.
        let other = AccountExample.key("ann", at: "https://other.example")
        #expect(try await stores.signedIn(other).account.id != person.id)
    }

    @Test("an identity of a file at a provider of another name is no one's who signs in")
    func otherProvider() async throws {
        let person = try await imported()
        #expect(try await stores.signedIn(Self.apple).account.id != person.id)
    }

    @Test("a person has one identity of a provider, also where a file names it without an issuer")
    func secondOfProvider() async throws {
        let person = try await imported()
        let ann = try await stores.signedIn()
        #expect(ann.account.id == person.id)
        let second = AccountExample.key("ann-2")
        #expect(try await stores.link(second, in: ann.sessionID) == .secondOfProvider)
        let owned = NewPerson.Identity(provider: "google", subject: "ann", username: nil)
        let bob = try await stores.signedIn(AccountExample.key("bob")).account
        let now = AccountExample.now
        #expect(try await stores.people.link(owned, to: bob, at: now) == .conflict)
    }

    @Test("realms are apart: the same identity and address are another person's in another realm")
    func realms() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        try await stores.makeHome("shop")
        var event = AccountExample.signIn(email: AccountExample.verified(), rule: .ask)
        event.realmID = "shop"
        let there = try #require(try await stores.signIn(event).account)
        #expect(there.id != ann.account.id && there.realmID == "shop")
        #expect(there.mailbox == AccountExample.verified())
        #expect(try await stores.accounts.person(ann.account.id) == ann.account)
        let count = try await stores.sessions.endSessions(
            issuer: AccountExample.google,
            subject: "ann",
            providerSessionID: nil,
            realmID: "shop",
            spending: AccountExample.attempt(),
            at: AccountExample.now
        )
        #expect(count == 1)
        #expect(try await stores.live(ann.cookie) != nil)
        let isForgotten = try await stores.accounts.forget(
            AccountExample.ann,
            realmID: "shop",
            linkedUntil: .max,
            noticeID: AccountExample.fresh(),
            at: AccountExample.now
        )
        #expect(isForgotten)
        #expect(try await stores.people.identities(of: ann.account.id).count == 1)
        // Nor does a code of one realm claim a person of the other.
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.claim(ann.account.id, event) == .unknown)
    }

    @Test("decision 0030: people with passwords are asked about, and joined only by proof")
    func matches() async throws {
        let person = try await imported()
        let email = AccountExample.vouched()
        let outcome = try await stores.meet(Self.apple, email: email, rule: .ask)
        let match = AccountMatch(
            personID: person.id,
            verification: .authoritative,
            providers: ["google"],
            hasPassword: true
        )
        #expect(outcome == .matches([match]))
        #expect(try await stores.meet(Self.apple, email: email, rule: .link) == .matches([match]))
        let proven = AccountExample.verified()
        let linked = try await stores.meet(Self.apple, email: proven, rule: .link)
        #expect(linked.account?.id == person.id && linked.isNew == false)
        #expect(try await password(of: person) == Self.hash)
    }

    @Test(
        "decision 0020: a claim by the mailbox takes password and second factors of one whose address no one proved",
        arguments: [true, false]
    )
    func claim(_ isVerified: Bool) async throws {
        let person = try await imported(isVerified: isVerified)
        try await stores.startConfirmation(of: "ann@example.com")
        let claimed = try await stores.claim(person.id, AccountExample.signIn(Self.apple)).account
        #expect(claimed?.id == person.id)
        #expect(try await password(of: person) == (isVerified ? Self.hash : nil))
        let factors = try await stores.people.secondFactors(of: person.id, realmID: "home")
        #expect(factors.count == (isVerified ? 1 : 0))
        let identities = try await stores.people.identities(of: person.id)
        #expect(identities.map(\.provider) == (isVerified ? ["google", "apple"] : ["apple"]))
    }

    @Test("a person who comes by a provider gets what the realm's new people get")
    func defaults() async throws {
        try await stores.makeHome()
        let role = Role(id: "r", realmID: "home", clientID: nil, name: "member", description: "")
        #expect(try await stores.realms.create(role) == .created)
        let group = Group(id: "g", realmID: "home", parentID: nil, name: "all", description: "")
        #expect(try await stores.realms.create(group) == .created)
        var realm = try #require(try await stores.realms.realm(id: "home"))
        realm.defaultRoles = [RoleName(clientID: nil, name: "member")]
        realm.defaultGroupIDs = ["g"]
        #expect(try await stores.realms.update(realm) == .changed)
        let id = try await stores.signedIn().account.id
        let ann = try #require(try await stores.people.person(id: id, realmID: "home"))
        #expect(ann.roles == realm.defaultRoles && ann.groupIDs == ["g"])
    }

    @Test(
        "what ends a person's sessions in the realm ends those of apps and handles, too",
        arguments: ["sign-out", "password", "block", "deletion"]
    )
    func ends(_ way: String) async throws {
        let ann = try await stores.signedInByHandle()
        let (id, now) = (ann.account.id, AccountExample.now)
        #expect(try await stores.isLive(ann.sessionID))
        let people = stores.people
        let change =
            switch way {
            case "sign-out": try await people.signOutEverywhere(id, realmID: "home", at: now)
            case "password": try await people.setPassword(Self.hash, of: id, at: now)
            case "block": try await stores.block(id, true, at: now)
            default: try await people.deletePerson(id: id, realmID: "home")
            }
        #expect(change == .changed)
        #expect(try await !stores.isLive(ann.sessionID))
        #expect(try await stores.takeDue().map(\.session.sessionID) == [ann.sessionID])
    }

    @Test(
        "names that an administrator sets come before what a provider says, and after what the person wrote"
    )
    func names() async throws {
        var ann = try await stores.signedIn().account
        #expect(ann.fullName == "Ann")
        ann.givenName = "Anna"
        #expect(ann.fullName == "Anna")
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.signedIn().account.fullName == "Anna")
        let (accounts, id) = (stores.accounts, ann.id)
        _ = try await accounts.update(id, name: .whole("Annie"), language: nil, isWelcomed: nil)
        var kept = try #require(try await accounts.person(id))
        #expect(kept.fullName == "Annie" && kept.givenName == "Anna")
        // Something else of the person changes nothing of it, a name does.
        kept.attributes["colour"] = ["red"]
        #expect(try await stores.people.update(kept) == .changed)
        #expect(try await accounts.person(id)?.fullName == "Annie")
        kept.familyName = "Example"
        #expect(try await stores.people.update(kept) == .changed)
        #expect(try await accounts.person(id)?.fullName == "Anna Example")
    }

    @Test("an administrator's word counts as a proof of an address, until it changes")
    func word() async throws {
        var ann = try await stores.signedIn(email: AccountExample.vouched()).account
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.accounts.person(ann.id)?.mailbox == AccountExample.vouched())
        ann.isEmailVerified = false
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.accounts.person(ann.id)?.mailbox == AccountExample.unverified())
        ann.isEmailVerified = true
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.accounts.person(ann.id)?.mailbox == AccountExample.verified())
        ann.email = "other@example.com"
        #expect(ann.mailbox == AccountExample.unverified("other@example.com"))
    }

    @Test("a provider that gives a person up leaves them where they have a password")
    func forgotten() async throws {
        let person = try await imported()
        let ann = try await stores.signedIn()
        #expect(ann.account.id == person.id)
        #expect(try await stores.forget(AccountExample.ann))
        #expect(try await password(of: person) == Self.hash)
        #expect(try await stores.people.identities(of: person.id).isEmpty)
        #expect(try await stores.live(ann.cookie) == nil)
        // The last way to sign in at the backend is not taken away there.
        let again = try await stores.signedIn()
        #expect(again.account.id != person.id)
    }

    @Test("an administrator who takes an identity away ends the sessions that it began")
    func removed() async throws {
        let ann = try await stores.signedInByHandle()
        #expect(try await stores.link(Self.apple, in: ann.sessionID) == .linked)
        let other = try await stores.signedIn(Self.apple)
        let change = try await stores.people.unlink(
            "apple",
            from: ann.account.id,
            realmID: "home",
            at: AccountExample.now
        )
        #expect(change == .changed)
        #expect(try await stores.live(other.cookie) == nil)
        #expect(try await stores.isLive(ann.sessionID))
        for realmID in ["home", "shop"] {
            let again = try await stores.people.unlink(
                "apple",
                from: ann.account.id,
                realmID: realmID,
                at: AccountExample.now
            )
            #expect(again == .notFound)
        }
    }

    @Test(
        "a file that is written over a person leaves what a provider has said of an identity that stays"
    )
    func overwritten() async throws {
        let person = try await imported()
        let ann = try await stores.signedIn(email: AccountExample.verified())
        #expect(ann.account.id == person.id)
        let before = try await stores.people.identities(of: person.id)
        let kept = try #require(try await stores.people.whole(realmID: "home", id: person.id))
        var new = kept
        new.identities = [.init(provider: "google", subject: "ann", username: "ann@elsewhere")]
        try await stores.people.overwrite(
            [PersonChange(new, from: kept)],
            ofRealm: "home",
            roleIDs: [:]
        )
        let after = try await stores.people.identities(of: person.id)
        #expect(after.map(\.username) == ["ann@elsewhere"])
        #expect(after.map(\.key) == before.map(\.key) && after.map(\.email) == before.map(\.email))
        #expect(try await stores.live(ann.cookie) != nil)
        let written = try #require(try await stores.people.whole(realmID: "home", id: person.id))
        var without = written
        without.identities = []
        try await stores.people.overwrite(
            [PersonChange(without, from: written)],
            ofRealm: "home",
            roleIDs: [:]
        )
        #expect(try await stores.live(ann.cookie) == nil)
    }

    @Test("of two names of one provider the identity that has signed in is used")
    func twoNames() async throws {
        let ann = try await stores.signedIn()
        let now = AccountExample.now
        let second = NewPerson.Identity(provider: "google2", subject: "ann", username: nil)
        #expect(try await stores.people.link(second, to: ann.account, at: now) == .created)
        var event = AccountExample.signIn()
        event.identity.provider = "google2"
        let again = try await stores.signIn(event, at: now + 9)
        #expect(again.account?.id == ann.account.id)
        let identities = try await stores.people.identities(of: ann.account.id)
        #expect(identities.map(\.provider) == ["google", "google2"])
        #expect(identities.map(\.lastUsedAt) == [now + 9, now])
        #expect(identities.map(\.issuer) == [AccountExample.google, nil])
    }

    @Test("the account of a client is met by no one")
    func serviceAccount() async throws {
        try await stores.makeHome()
        var account = Person(
            id: "service",
            realmID: "home",
            username: "service-account-notes",
            createdAt: AccountExample.now
        )
        account.email = "ann@example.com"
        account.serviceClientID = "notes"
        let new = NewPerson(person: account, password: nil)
        #expect(try await stores.people.create(new) == .created)
        let email = AccountExample.unverified()
        #expect(try await stores.meet(Self.apple, email: email, rule: .ask).isNew == true)
        #expect(try await stores.accounts.person("service") == nil)
    }
}
