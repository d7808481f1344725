import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Members of another type, as Keycloak reads them")
struct MemberTypeTests {
    @Test(
        "Texts, numbers and truth values stand for one another where Keycloak converts them",
        arguments: [
            (MemberType.bool, JSONValue.string("true"), JSONValue.bool(true)),
            (.bool, "TRUE", true), (.bool, " False ", false), (.bool, 1, true), (.bool, 0, false),
            (.bool, "", .null), (.bool, false, false),
            (.integer, "3600", 3600), (.integer, " -5\n", -5), (.integer, "", .null),
            (.integer, 1.5, 1), (.integer, -1.5, -1), (.integer, .integer(.max), .integer(.max)),
            (.text, 42, "42"), (.text, true, "true"), (.text, 1.5, "1.5"), (.text, "", ""),
            (.texts, [42, "a", .null, false], ["42", "a", "false"]), (.texts, [], []),
            (.map, ["a": 42, "b": [1, "x"], "c": "y"], ["a": "42", "b": ["1", "x"], "c": "y"]),
        ] as [(MemberType, JSONValue, JSONValue)]
    )
    func converts(type: MemberType, value: JSONValue, read: JSONValue) {
        #expect(type.converted(value) == read)
    }

    @Test(
        "What Keycloak refuses is not converted",
        arguments: [
            (MemberType.bool, JSONValue.string("yes")), (.bool, "tRUE"), (.bool, 0.5), (.bool, []),
            (.integer, true), (.integer, "1.5"), (.integer, "12a"), (.integer, 1e300),
            (.integer, [1]),
            (.integer, .string(String(repeating: "9", count: 30))),
            (.integer, .string("1" + String(repeating: " ", count: 100_000) + "2")),
            (.text, []), (.text, [:]), (.texts, "a"), (.texts, [["a"]]), (.map, ["a": [:]]),
            (.map, []),
        ] as [(MemberType, JSONValue)]
    )
    func refuses(type: MemberType, value: JSONValue) {
        #expect(type.converted(value) == nil)
    }

    @Test(
        "A file with members of other types is read as Keycloak reads it, and what is kept of it, too"
    )
    func file() async throws {
        let read = try await RealmImportTests.read(
            #"""
            {"realm": "r", "enabled": "true", "accessTokenLifespan": "600", "registrationAllowed": 1,
             "eventsEnabled": "TRUE", "smtpServer": {"host": "mail.example.com", "port": 25},
             "roles": {"realm": [{"name": 7, "attributes": {"level": [3]}}],
                       "client": {"app": [{"name": "reader", "composite": "false"}]}},
             "groups": [{"name": "staff", "attributes": {"floor": 4}}],
             "clients": [{"clientId": "app", "publicClient": "true", "fullScopeAllowed": "false",
                          "redirectUris": ["https://app.example.com/cb"],
                          "attributes": {"access.token.lifespan": 60},
                          "protocolMappers": [{"name": "m", "protocol": "openid-connect",
                             "protocolMapper": "oidc-hardcoded-claim-mapper", "consentRequired": "false",
                             "config": {"claim.name": "n", "claim.value": 5,
                                        "access.token.claim": true}}]}],
             "users": [{"username": "ann", "enabled": "true", "emailVerified": "true",
                        "email": "ann@example.com", "createdTimestamp": "1700000000000",
                        "attributes": {"age": [42], "vip": true},
                        "credentials": [{"type": "password", "value": 123456, "temporary": "true"}]}]}
            """#
        )
        let realm = read[0].realm
        #expect(realm.realm.isEnabled && realm.realm.lifetimes.accessToken == 600)
        #expect(realm.realm.registration == .username)
        #expect(realm.realm.events.keepsSignIns)
        let client = try #require(realm.clients.first { $0.clientID == "app" })
        #expect(client.type == .public && client.accessTokenLifetime == 60)
        #expect(!client.seesAllRoles)
        #expect(client.mappers.first?.kind == .fixedClaim("5"))
        #expect(client.mappers.first?.targets == [.accessToken, .introspection])
        #expect(realm.roles.first { $0.name == "7" }?.attributes == ["level": ["3"]])
        #expect(realm.groups.first?.group.attributes == ["floor": ["4"]])
        let ann = try #require(realm.people.first)
        #expect(ann.person.isEnabled && ann.person.isEmailVerified)
        #expect(ann.person.createdAt == 1_700_000_000)
        #expect(ann.person.attributes == ["age": ["42"], "vip": ["true"]])
        #expect(ann.password != nil && ann.person.requiredActions == ["UPDATE_PASSWORD"])
    }

    @Test("A number for a text is the text as it is written: no digit is lost")
    func digits() async throws {
        let number = "12345678901234567890"
        let file = Array(
            """
            {"realm": "r", "clients": [{"clientId": "app", "secret": \(number)}],
             "users": [{"username": \(number), "firstName": 1.10,
                        "attributes": {"a": [1.10, \(number)], "b": 1e3},
                        "credentials": [{"type": "password", "value": \(number)}]}]}
            """.utf8
        )
        let read = try await RealmImportTests.read(file)
        let person = try #require(read[0].realm.people.first)
        #expect(person.person.username == number && person.person.givenName == "1.10")
        #expect(person.person.attributes == ["a": ["1.10", number], "b": ["1e3"]])
        let hash = try #require(person.password)
        #expect(StoredHash.verify(Array(number.utf8), against: hash))
        // A comparison reads the same.
        let realm = try RealmFileReader { BytesSource(file) }.realm(named: "r")
        #expect(realm.json.array("clients")?.first?.object?.string("secret") == number)
    }

    @Test("Free names are not taken for members: a client or a mapper may have any")
    func freeNames() {
        let object: JSONObject = [
            "attributes": ["enabled": 1, "notBefore": "7"],
            "roles": ["client": ["enabled": [["name": 1, "composite": "true"]]]],
            "clientPolicies": ["policies": [["configuration": ["enabled": "true"]]]],
            "groups": [1, "/a"],
        ]
        #expect(
            object.asKeycloakReads == [
                "attributes": ["enabled": "1", "notBefore": "7"],
                "roles": ["client": ["enabled": [["name": "1", "composite": true]]]],
                "clientPolicies": ["policies": [["configuration": ["enabled": "true"]]]],
                "groups": ["1", "/a"],
            ]
        )
    }

    @Test("RFC 8259 §8.1: a byte order mark before a file is passed over, and nowhere else")
    func mark() async throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let file = Array(
            #"[{"realm": "r", "users": [{"username": "ann", "id": 7}], "enabled": true}, {"realm": "s"}]"#
                .utf8
        )
        let read = try await RealmImportTests.read(mark + file)
        #expect(read.map(\.realm.realm.name) == ["r", "s"])
        #expect(read[0].realm.people.map(\.person.username) == ["ann"])
        for broken in [
            mark + mark + file, Array("[".utf8) + mark + file.dropFirst(),
            Array(mark.prefix(2)) + file,
        ] {
            await #expect(throws: RealmImportError.self) {
                _ = try await RealmImportTests.read(broken)
            }
        }
    }
}
