import PorticoAdministration
import PorticoBytes
import PorticoProtocol
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
        for (number, imported) in people.enumerated().dropFirst() {
            #expect(imported.new != nil && imported.new?.password == nil, "\(imported.lines)")
            // A second factor that is lost is no small matter.
            #expect(imported.says(number == 2 || number == 3 ? .weaker : .skipped, ""))
            #expect(imported.says(.read, "without a password"))
        }
    }

    @Test("A service account belongs to its client; without the client it is left out")
    func serviceAccount() async throws {
        let imported = try await ImportSample.realm(
            """
            "clients": [{"clientId": "a", "serviceAccountsEnabled": true}],
            "roles": {"client": {"a": [{"name": "x"}]}},
            "users": [
                {"username": "p0", "serviceAccountClientId": "a", "enabled": true,
                    "clientRoles": {"a": ["x"]}},
                {"username": "p1", "serviceAccountClientId": "gone", "enabled": true,
                    "credentials": [{"value": "somebody chose this one"}]},
                {"username": "p2", "serviceAccountClientId": "A", "enabled": true},
                {"username": "p3", "enabled": true}
            ]
            """
        )
        let client = try #require(imported.realm.clients.first)
        let people = imported.realm.people
        #expect(people.map(\.person.username) == ["p0", "p3"])
        #expect(people.map(\.person.serviceClientID) == [client.id, nil])
        #expect(people[0].roles == [RoleName(clientID: "a", name: "x")])
        for username in ["p1", "p2"] {
            let words = "the account of a client that is not imported"
            #expect(imported.report.says(.skipped, "user \(username)", words))
        }
    }

    @Test("Required actions come along; those that nothing asks for are told of")
    func requiredActions() async throws {
        let people = try await ImportSample.people([
            #""requiredActions": ["VERIFY_EMAIL", "UPDATE_PASSWORD"]"#,
            #""requiredActions": ["CONFIGURE_TOTP", "terms\u001b"]"#,
            #""requiredActions": []"#,
        ])
        #expect(people[0].person?.requiredActions == ["VERIFY_EMAIL", "UPDATE_PASSWORD"])
        #expect(people[1].person?.requiredActions == ["CONFIGURE_TOTP", "terms\u{1b}"])
        #expect(people[2].person?.requiredActions == [])
        #expect(people.map { $0.says(.changed, "required actions") } == [false, true, false])
        #expect(people[1].says(.changed, #"terms\u{1b}: required actions that nothing"#))
    }

    @Test("A temporary password must be replaced; one that is left out asks for nothing")
    func temporary() async throws {
        let plain = #"{"value": "a long enough password", "temporary": true}"#
        let people = try await ImportSample.people([
            #""credentials": [\#(plain)]"#,
            #""requiredActions": ["UPDATE_PASSWORD"], "credentials": [\#(plain)]"#,
            #""credentials": [{"value": "a long enough password", "temporary": false}]"#,
            #""credentials": [{"secretData": "{}", "temporary": true}]"#,
        ])
        let actions = people.map { $0.person?.requiredActions ?? ["no person"] }
        #expect(actions == [["UPDATE_PASSWORD"], ["UPDATE_PASSWORD"], [], []])
        #expect(people.map { $0.new?.password != nil } == [true, true, true, false])
    }

    @Test("Accounts at other providers come along, one for each provider")
    func identities() async throws {
        let people = try await ImportSample.people([
            """
            "federatedIdentities": [
                {"identityProvider": "house", "userId": "1", "userName": "ilse"},
                {"identityProvider": "house", "userId": "2"},
                {"identityProvider": "other"}, {"userId": "3"},
                {"identityProvider": "third", "userId": "4"}
            ]
            """
        ])
        #expect(
            people[0].new?.identities == [
                NewPerson.Identity(provider: "house", subject: "1", username: "ilse"),
                NewPerson.Identity(provider: "third", subject: "4", username: nil),
            ]
        )
        #expect(people[0].lines.filter { $0.outcome == .skipped }.count == 3)
        #expect(people[0].says(.changed, "where the provider can be used"))
    }

    @Test("What people allowed clients stays allowed, and nothing to a client that is not there")
    func consents() async throws {
        let imported = try await ImportSample.realm(
            """
            "clients": [{"clientId": "a", "redirectUris": ["https://a.example/cb"]}],
            "users": [
                {"username": "p0", "clientConsents": [
                    {"clientId": "a", "grantedClientScopes": ["profile", "email"],
                        "createdDate": 1700000000123, "lastUpdatedDate": 1700000001999},
                    {"clientId": "gone", "grantedClientScopes": ["profile"]},
                    {"clientId": "A", "grantedClientScopes": ["profile"]},
                    {"grantedClientScopes": ["profile"]}
                ]},
                {"username": "p1", "clientConsents": [
                    {"clientId": "a", "createdDate": 9223372036854775807}
                ]}
            ]
            """
        )
        let client = try #require(imported.realm.clients.first)
        let people = imported.realm.people
        try #require(people.map(\.consents.count) == [1, 1])
        #expect(people[0].consents[0].clientID == client.id)
        #expect(Set(people[0].consents[0].scope.tokens) == ["profile", "email"])
        #expect(people[0].consents[0].at == 1_700_000_001)
        #expect(people[1].consents[0].scope.tokens.isEmpty)
        #expect(people[1].consents[0].at == RealmImportTests.noon.seconds)
        let skipped = imported.report.lines(.skipped).filter { $0.subject == "user p0" }
        #expect(skipped.count == 3)
        #expect(skipped.allSatisfy { $0.words.contains("client that is not imported") })
    }
}
