import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("One odd value of a file loses no one")
struct ImportLimitTests {
    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func person(_ members: String) async throws -> (NewPerson?, ImportReport) {
        let read = try await ImportSample.realm(
            #""users": [{"id": "p-1", "enabled": true, "credentials": [{"value": "correct horse"}], \#(members)}]"#
        )
        return (read.realm.people.first, read.report)
    }

    @Test(
        "Decision 0121: a person of a file is in with what was good there",
        arguments: [
            #""username": "kenny mk""#, #""username": "ann", "firstName": "\#(text(240))""#,
            #""username": "ann", "attributes": {"picture": ["\#(text(5000))"]}"#,
            #""username": "ann", "attributes": {"\#(text(240))": ["x"]}"#,
            #""username": "ann", "attributes": {"a": [\#(Array(repeating: #""x""#, count: 300).joined(separator: ","))]}"#,
            #""username": "ann", "attributes": {"glyph": ["\#u{E000}\#u{200B}"]}"#,
            #""username": "ann", "attributes": {\#((0..<150).map { #""a\#($0)": ["x"]"# }.joined(separator: ","))}"#,
        ]
    )
    func kept(members: String) async throws {
        let (new, report) = try await Self.person(members)
        let person = try #require(new)
        #expect(person.password != nil && person.person.isEnabled)
        #expect(report.lines(.changed).filter { $0.subject.hasPrefix("user") } == [])
        let said = try JSONObject(
            parsing: Array("{\(members)}".utf8),
            limits: JSONLimits(size: 1 << 20)
        )
        #expect(person.person.username == said.string("username"))
        #expect(person.person.givenName == said.string("firstName"))
        #expect(person.person.attributes.count == said.object("attributes")?.count ?? 0)
        // What an import brought stays when something else is changed, and is no new rule for others.
        let registration = PersonRegistration(hashing: TestRealm.hashing)
        var changed = person.person
        changed.email = "new@example.com"
        #expect(
            try registration.checked(changed, replacing: person.person).email == "new@example.com"
        )
        #expect(throws: PersonRegistration.Refusal.self) { try registration.checked(changed) }
    }

    @Test(
        "Decision 0121: the one value that cannot be kept is left out and named",
        arguments: [
            (#""username": "ann", "email": "ann@münchen.example""#, "email"),
            (#""username": "ann", "email": "Ann <ann@example.com>""#, "email"),
            (#""username": "ann", "firstName": "two\nlines""#, "given name"),
            (#""username": "ann", "lastName": "\#(text(1100))""#, "family name"),
            (#""username": "ann", "attributes": {"big": ["\#(text(300_000))"]}"#, "big"),
        ]
    )
    func leftOut(members: String, field: String) async throws {
        let (new, report) = try await Self.person(members)
        let person = try #require(new).person
        #expect(new?.password != nil && person.username == "ann")
        #expect(person.email == nil && person.givenName == nil && person.familyName == nil)
        #expect(person.attributes == [:])
        let lines = report.lines(.changed).filter { $0.subject == "user ann" }
        #expect(lines.count == 1 && lines[0].words.hasPrefix("\(field): left out"), "\(lines)")
        #expect(report.lines(.skipped).filter { $0.subject == "user ann" } == [])
    }

    @Test(
        "A user name that cannot be one gives way to the address, or to the id where that is taken"
    )
    func username() async throws {
        let read = try await ImportSample.realm(
            #"""
            "users": [{"id": "a", "username": "\#(Self.text(1100))", "email": "Ann@example.com"},
                      {"id": "b", "username": "two\nlines"},
                      {"id": "c", "username": "ann@example.org"},
                      {"id": "d", "username": "tab\there", "email": "ann@example.org"}]
            """#
        )
        let names = read.realm.people.map { "\($0.person.id) \($0.person.username)" }
        #expect(names == ["a ann@example.com", "b b", "c ann@example.org", "d d"])
        #expect(
            read.report.lines(.changed).count { $0.words.contains("username: cannot be one") } == 3
        )
    }

    @Test("Decision 0121: a client of a file is in, with its many or long values")
    func clients() async throws {
        let addresses = (0..<150).map { #""https://a\#($0).example/cb""# }.joined(separator: ",")
        let clients = try await ImportSample.clients([
            #""redirectUris": [\#(addresses)]"#,
            #""name": "\#(Self.text(240))""#,
            #""name": "two\nlines""#,
            #""secret": "ümlaut", "redirectUris": ["https://a.example/cb"]"#,
            #""defaultClientScopes": ["\#(Self.text(300))", "profile"]"#,
            #""clientAuthenticatorType": "client-jwt", "attributes": {"jwks.string": "{\"keys\": [{\"kty\": \"oct\", \"k\": \"AA\"}]}"}"#,
        ])
        #expect(clients.map { $0.client != nil } == Array(repeating: true, count: 6))
        #expect(clients[0].client?.redirectURIs.count == 150)
        #expect(clients[1].client?.name.count == 240)
        #expect(clients[2].client?.name == "a2" && clients[2].says(.changed, "name: left out"))
        #expect(
            clients[3].says(.changed, "make a new one")
                || clients[3].says(.changed, "Make a new one")
        )
        #expect(clients[3].client?.secret != nil)
        #expect(clients[4].client?.defaultScopes == ["profile"])
        // Without a key that signs, no one could prove to be it: it is there, and shut.
        #expect(clients[5].client?.isEnabled == false && clients[5].says(.disabled, "keys"))
    }

    @Test(
        "A client_id with a space is a client here, too; a role and a group of long names as well"
    )
    func names() async throws {
        let long = Self.text(240)
        let read = try await ImportSample.realm(
            #"""
            "displayName": "\#(Self.text(300))",
            "clients": [{"clientId": "My App", "redirectUris": ["https://a.example/cb"]},
                        {"clientId": " edge"}],
            "roles": {"realm": [{"name": "\#(long)", "description": "\#(Self.text(2000))"}]},
            "groups": [{"name": "\#(long)", "realmRoles": ["\#(long)"],
                        "attributes": {"big": ["\#(Self.text(300_000))"], "small": ["x"]}},
                       {"name": "a/b"}],
            "users": [{"username": "ann", "realmRoles": ["\#(long)"], "groups": ["/a~/b", "/\#(long)"]}]
            """#
        )
        #expect(read.realm.clients.first?.clientID == "My App")
        #expect(!read.realm.clients.contains { $0.clientID == " edge" })
        #expect(read.realm.realm.displayName == "r")
        #expect(read.report.says(.changed, "displayName", "left out"))
        #expect(read.realm.roles.contains { $0.name == long && $0.description.isEmpty })
        let group = try #require(read.realm.groups.first)
        #expect(group.group.attributes == ["small": ["x"]] && group.roles.map(\.name) == [long])
        #expect(read.realm.people.first?.groupIDs.count == 2)
        #expect(read.realm.people.first?.roles.map(\.name) == [long])
    }
}
