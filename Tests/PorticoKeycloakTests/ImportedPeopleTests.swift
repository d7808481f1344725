import PorticoBytes
import PorticoProvider
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: who people are") struct ImportedPeopleTests {
    @Test("What the file does not say of a person is not so: not enabled, no address verified")
    func defaults() async throws {
        let people = try await ImportSample.people([
            #""email": "ann@example.com""#,
            #""email": "bob@example.com", "emailVerified": true, "enabled": true"#,
            // OpenID Connect Core §5.1: without an address none is verified.
            #""emailVerified": true"#,
        ]).map(\.person)
        #expect(people.map { $0?.isEnabled } == [false, true, false])
        #expect(people.map { $0?.isEmailVerified } == [false, true, false])
        #expect(people.map { $0?.email } == ["ann@example.com", "bob@example.com", nil])
        #expect(people.map { $0?.notBefore } == [0, 0, 0])
    }

    @Test("What was signed out there stays signed out: notBefore comes along")
    func notBefore() async throws {
        let people = try await ImportSample.people(
            [#""notBefore": 1795000000"#, #""notBefore": 0"#, #""notBefore": -5"#]
        )
        #expect(people.map { $0.person?.notBefore } == [1_795_000_000, 0, 0])
        for (time, expected) in [(1_795_000_000, 1_795_000_000), (-5, 0)] as [(Int64, Int64)] {
            let realm = try await ImportSample.realm(#""notBefore": \#(time)"#).realm.realm
            #expect(realm.notBefore == expected)
        }
    }

    @Test("A creation that lies ahead, or that no one noted, was now")
    func createdAt() async throws {
        let now = RealmImportTests.noon.seconds
        let cases: [(Int64, Int64)] = [
            (1_700_000_000_999, 1_700_000_000), (0, now), (-1000, now),
            ((now + 10) * 1000, now), (.max, now),
        ]
        let people = try await ImportSample.people(
            cases.map { #""createdTimestamp": \#($0.0)"# }
        )
        #expect(people.map { $0.person?.createdAt } == cases.map(\.1))
    }

    @Test("No one takes another's id, user name or address")
    func twice() async throws {
        let imported = try await ImportSample.realm(
            """
            "users": [
                {"id": "id-1", "username": "ann", "email": "Ann@example.com",
                    "emailVerified": true},
                {"id": "id-1", "username": "bob", "enabled": true},
                {"id": "id-2", "username": "ANN", "enabled": true},
                {"id": "id-3", "username": "cid", "email": "ann@EXAMPLE.com",
                    "emailVerified": true, "enabled": true}
            ]
            """
        )
        let people = imported.realm.people.map(\.person)
        #expect(people.map(\.id) == ["id-1", "id-3"])
        #expect(people[0].email == "ann@example.com" && people[0].isEmailVerified)
        #expect(people[1].email == nil && !people[1].isEmailVerified)
        #expect(imported.report.says(.skipped, "user bob", "twice"))
        #expect(imported.report.says(.skipped, "user ANN", "twice"))
        #expect(imported.report.says(.changed, "user cid", "left out"))
    }

    @Test(
        "OpenID Connect Core §2, RFC 9700 §4.15: an id that may be no sub is replaced, others stay"
    )
    func ids() async throws {
        let cases = [
            ("f:0b1:ann", true), ("client:a", false), ("with space", false), ("é", false),
            ("", false),
        ]
        let people = try await ImportSample.people(cases.map { #""id": "\#($0.0)""# })
        for (imported, (id, isKept)) in zip(people, cases) {
            let person = try #require(imported.person)
            #expect((person.id == id) == isKept, "\(id)")
            if !isKept { #expect(UniqueID(person.id) != nil, "\(id)") }
            #expect(imported.says(.changed, "new id") == (!isKept && !id.isEmpty), "\(id)")
        }
    }

    @Test("The first password counts; a hash that cannot be read, or none, is no password")
    func passwords() async throws {
        let people = try await ImportSample.people(
            [
                #"{"value": "the first of the two"}, {"value": "the second of the two"}"#,
                #"{"type": "password", "secretData": "{}"}"#,
                #"{"type": "otp", "value": "123456"}"#, #"{"type": "webauthn", "value": "x"}"#,
                #"{"type": "password", "value": ""}"#,
                #"{"type": "password", "value": "\#(String(repeating: "long", count: 300))"}"#,
            ].map { #""credentials": [\#($0)]"# }
        )
        let hash = try #require(people[0].new?.password)
        #expect(StoredHash.verify(Array("the first of the two".utf8), against: hash))
        #expect(!StoredHash.verify(Array("the second of the two".utf8), against: hash))
        for imported in people.dropFirst() {
            #expect(imported.new != nil && imported.new?.password == nil, "\(imported.lines)")
            #expect(imported.says(.skipped, ""))
            #expect(imported.says(.read, "without a password"))
        }
    }

    @Test("A service account is no one who signs in")
    func serviceAccount() async throws {
        let people = try await ImportSample.people([
            """
            "serviceAccountClientId": "a", "enabled": true,
            "credentials": [{"value": "somebody chose this one"}]
            """
        ])
        #expect(people[0].new == nil)
        #expect(people[0].says(.skipped, "service account"))
    }
}
