import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("Realm diff")
struct RealmDiffTests {
    private static func file() throws -> JSONObject {
        try JSONObject(
            parsing: Array(try Data(contentsOf: ExportSample.harbourFile)),
            limits: JSONLimits(size: 1 << 20, depth: 64)
        )
    }

    /// The file with one of a list's elements changed.
    private static func changed(
        _ list: String,
        _ key: String,
        _ name: String,
        _ change: (inout JSONObject) -> Void
    ) throws -> JSONObject {
        var file = try file()
        let elements = (file.array(list) ?? []).map { element -> JSONValue in
            guard var object = element.object, object.string(key) == name else { return element }
            change(&object)
            return .object(object)
        }
        file[list] = .array(elements)
        return file
    }

    @Test("KC-M-1: a file that was just imported would change nothing")
    func nothing() async throws {
        let harbour = try await ExportSample.harbour()
        let file = Array(try Data(contentsOf: ExportSample.harbourFile))
        let report = try await harbour.diff(file)
        #expect(report.differences == [])
        #expect(report.counts == [:])
    }

    @Test("Order, ids' containers and what is derived are no differences")
    func canonical() async throws {
        let harbour = try await ExportSample.harbour()
        var file = JSONObject()
        for (name, value) in Array(try Self.file()).reversed() {
            file[name] = value.strings == nil ? value : .array((value.array ?? []).reversed())
        }
        for list in ["clients", "users", "clientScopes", "scopeMappings", "groups"] {
            file[list] = .array((file.array(list) ?? []).reversed())
        }
        #expect(try await harbour.diff(file) == [])
        let bare = try Self.changed("users", "username", "ada") { ada in
            ada["totp"] = true
            ada["username"] = "ADA"
            ada["createdTimestamp"] = .integer((ada.int64("createdTimestamp") ?? 0) + 999)
        }
        #expect(try await harbour.diff(bare) == [])
    }

    @Test("What is new, gone or other is named by its path")
    func kinds() async throws {
        let harbour = try await ExportSample.harbour()
        var file = try Self.changed("clients", "clientId", "tide") { tide in
            tide["enabled"] = true
            tide["webOrigins"] = []
            tide["description"] = "High"
        }
        var users = file.array("users") ?? []
        users.removeAll { $0.object?.string("username") == "dora" }
        users.append(["username": "new", "enabled": true])
        file["users"] = .array(users)
        let report = try await harbour.diff(file.serialized())
        #expect(
            report.differences.map { "\($0.kind.rawValue) \($0.path)" }.sorted() == [
                "added clients.tide.description", "added users.new",
                "changed clients.tide.enabled", "removed clients.tide.webOrigins",
                "removed users.dora",
            ]
        )
        #expect(report.counts == ["clients": 3, "users": 2])
        let enabled = try #require(
            report.differences.first { $0.path.description.hasSuffix("enabled") }
        )
        #expect(enabled.here == "false" && enabled.there == "true")
    }

    @Test("What a file leaves out at its top is not compared, people too")
    func parts() async throws {
        let harbour = try await ExportSample.harbour()
        #expect(try await harbour.diff(["realm": "harbour"]) == [])
        #expect(try await harbour.diff(["realm": "harbour", "users": []]) == [])
        let one: JSONObject = [
            "realm": "harbour",
            "users": [
                [
                    "id": "00000000-0000-4000-8000-000000000043", "username": "dora",
                    "enabled": true,
                ]
            ],
        ]
        #expect(
            try await harbour.diff(one) == [
                "changed users.dora.enabled", "removed users.dora.realmRoles",
            ]
        )
    }

    @Test("People without a name, or with an endless one, are told of and not looked for")
    func nameless() async throws {
        let harbour = try await ExportSample.harbour()
        let file: JSONObject = [
            "realm": "harbour",
            "users": [
                ["enabled": true], ["username": ""],
                ["username": .string(String(repeating: "e\u{301}", count: 100_000))],
            ],
        ]
        let report = try await harbour.diff(file.serialized())
        #expect(report.counts == ["users": 3])
        #expect(report.differences.allSatisfy { $0.kind == .added })
    }

    @Test("KC-M-1: people are matched as an import matches them: by ids, and not by names")
    func matched() async throws {
        let harbour = try await ExportSample.harbour()
        let ada = try await harbour.database.people.whole(
            realmID: harbour.realm.id,
            id: "00000000-0000-4000-8000-000000000038"
        )
        var person = try #require(ada).person
        person.username = "ada.new"
        #expect(try await harbour.database.people.update(person) == .changed)
        func file(_ id: JSONValue?) throws -> JSONObject {
            try Self.changed("users", "username", "ada") { $0["id"] = id }
        }
        #expect(
            try await harbour.diff(file(.string(person.id))) == ["changed users.ada.username"]
        )
        #expect(
            try await harbour.diff(file(nil)) == ["added users.ada", "removed users[\"ada.new\"]"]
        )
        person.username = "ada"
        #expect(try await harbour.database.people.update(person) == .changed)
        #expect(try await harbour.diff(file(nil)) == ["added users.ada", "removed users.ada"])
    }

    @Test("KC-M-1: who has no id in a file is who came without one, and a UUID has no capitals")
    func made() async throws {
        let id = "aabbccdd-0000-4000-8000-00000000000a"
        func file(_ id: String) -> JSONObject {
            [
                "realm": "a", "enabled": true,
                "users": [
                    ["username": "bob", "enabled": true],
                    ["id": .string(id), "username": "ann", "enabled": true],
                    ["id": "no id, with spaces", "username": "cid", "enabled": true],
                ],
            ]
        }
        let sample = try await ExportSample(file(id).serialized())
        let people = sample.database.people
        let bob = try await people.whole(
            realmID: sample.realm.id,
            id: Person.madeID(of: "bob", in: sample.realm.id)
        )
        var person = try #require(bob).person
        person.username = "rob"
        #expect(try await people.update(person) == .changed)
        for id in [id, id.uppercased()] {
            #expect(try await sample.diff(file(id)) == ["changed users.bob.username"])
        }
    }

    @Test("KC-M-1: a flow of another id is another flow, as an import has it")
    func flows() async throws {
        let file = #"""
            {"realm": "a", "enabled": true,
             "authenticationFlows": [{"id": "one", "alias": "browser", "description": "first"}]}
            """#
        let sample = try await ExportSample(Array(file.utf8))
        let other = file.replacing("\"one\"", with: "\"two\"")
        #expect(
            try await sample.diff(Array(other.utf8)).differences.map { "\($0.kind) \($0.path)" }
                .sorted() == ["added authenticationFlows.two", "removed authenticationFlows.one"]
        )
    }

    @Test("KC-M-1: that a scope is for people with a role only, or for all again, is a difference")
    func limited() async throws {
        func file(_ mappings: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clientScopes": [{"name": "tools"}],
             "scopeMappings": [\#(mappings)], "clientScopeMappings": {}}
            """#
        }
        let limited = #"{"clientScope": "tools", "roles": ["gone"]}"#
        for (before, after, word) in [("", limited, "on"), (limited, "", "off")] {
            let scene = try OverwriteScene()
            try await scene.write(file(before))
            #expect(try await scene.diff(file(after)) == ["changed clientScopes.tools.limited"])
            let report = try await scene.write(file(after)).report
            #expect(report.says(.written, "scope tools", "limited \(word)"))
            #expect(try await scene.diff(file(after)) == [])
        }
    }

    private static let scoped = #"""
        {"realm": "a", "enabled": true, "clientScopes": [{"name": "one"}, {"name": "two"}],
         "defaultDefaultClientScopes": ["one"], "defaultOptionalClientScopes": ["two"],
         "clients": [{"clientId": "web", "defaultClientScopes": ["one"],
            "optionalClientScopes": ["two"]}]}
        """#

    @Test(
        "KC-M-1: a list that a file empties is a difference",
        arguments: [
            (#""defaultClientScopes": ["one"]"#, "clients.web.defaultClientScopes"),
            (#""optionalClientScopes": ["two"]"#, "clients.web.optionalClientScopes"),
            (#""defaultDefaultClientScopes": ["one"]"#, "defaultDefaultClientScopes"),
            (#""defaultOptionalClientScopes": ["two"]"#, "defaultOptionalClientScopes"),
        ]
    )
    func emptied(_ member: String, _ path: String) async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.scoped)
        let none = member.prefix { $0 != "[" } + "[]"
        let file = Self.scoped.replacing(member, with: none)
        #expect(try await scene.diff(file) == ["removed \(path)"])
        try await scene.write(file)
        #expect(try await scene.diff(file) == [])
    }

    @Test("KC-M-1: a scope that an import deletes is in no list of the realm afterwards")
    func deletedScope() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.scoped)
        let file = Self.scoped.replacing(#", {"name": "two"}"#, with: "")
        #expect(
            try await scene.diff(file) == [
                "removed clientScopes.two", "removed clients.web.optionalClientScopes",
                "removed defaultOptionalClientScopes",
            ]
        )
        try await scene.write(file, .overwrite(prune: true))
        #expect(try await scene.realm.optionalClientScopes == [])
        #expect(try await scene.client("web")?.optionalScopes == [])
        #expect(try await scene.diff(file) == [])
    }

    @Test("An export without secrets differs in nothing")
    func masked() async throws {
        let harbour = try await ExportSample.harbour()
        let export = try await harbour.bytes(people: false, secrets: false)
        #expect(try await harbour.diff(export).differences == [])
    }

    @Test("A secret that differs is named, and never shown")
    func secrets() async throws {
        let harbour = try await ExportSample.harbour()
        var file = try Self.changed("clients", "clientId", "quay") {
            $0["secret"] = "another s3cret of the quay"
        }
        file["smtpServer"] = [
            "password": "another s3cret of the mail", "host": "mail.harbour.example",
            "port": "587", "auth": "true",
        ]
        file["identityProviders"] = .array(
            (file.array("identityProviders") ?? []).map { value in
                var house = value.object ?? JSONObject()
                var config = house.object("config") ?? JSONObject()
                config["clientSecret"] = "another s3cret of the house"
                house["config"] = .object(config)
                return .object(house)
            }
        )
        // Keys are not compared: an import over a realm takes none.
        var components = file.object("components") ?? JSONObject()
        let type = "org.keycloak.keys.KeyProvider"
        components[type] = .array(
            (components.array(type) ?? []).map { value in
                var key = value.object ?? JSONObject()
                guard key.string("name") == "hmac" else { return value }
                var config = key.object("config") ?? JSONObject()
                config["secret"] = ["YW5vdGhlciBzM2NyZXQ"]
                key["config"] = .object(config)
                return .object(key)
            }
        )
        file["components"] = .object(components)
        let users = (file.array("users") ?? []).map { value -> JSONValue in
            guard var cleo = value.object, cleo.string("username") == "cleo" else { return value }
            cleo["credentials"] = [
                [
                    "type": "password", "algorithm": "pbkdf2-sha256", "hashIterations": 27_500,
                    "hashedSaltedValue": "YW5vdGhlciBzM2NyZXQgb2YgYSBwZXJzb24gaGVyZSE=",
                    "salt": "YW5vdGhlciBzM2NyZQ==",
                ]
            ]
            return .object(cleo)
        }
        file["users"] = .array(users)
        let report = try await harbour.diff(file.serialized())
        #expect(
            report.differences.map { "\($0.kind.rawValue) \($0.path)" }.sorted() == [
                "changed clients.quay.secret",
                "changed identityProviders.house.config.clientSecret",
                "changed smtpServer.password", "changed users.cleo.credentials.password",
            ]
        )
        for difference in report.differences {
            #expect(difference.here == nil && difference.there == nil, "\(difference.path)")
        }
    }

    @Test(
        "Values of credentials and of settings that only Keycloak knows are not shown",
        arguments: [
            (["users", "cleo", "credentials", "otp 1", "userLabel"], true),
            (["components", "t", "ldap", "config", "vendor"], true),
            (["identityProviders", "house", "config", "tokenUrl"], true),
            (["smtpServer", "password"], true), (["clients", "quay", "secret"], true),
            (["smtpServer", "authTokenValue"], true), (["smtpServer", "host"], false),
            (["users", "cleo", "email"], false), (["accessTokenLifespan"], false),
            (["clients", "quay", "attributes", "access.token.lifespan"], false),
            (["clients", "quay", "attributes", "saml.signing.private.key"], true),
            (["clients", "quay", "protocolMappers", "berth", "config", "claim.name"], false),
            (
                ["clients", "quay", "protocolMappers", "p", "config", "pairwiseSubAlgorithmSalt"],
                true
            ),
        ]
    )
    func closed(names: [String], isSecret: Bool) {
        let path = JSONPath(names.map(JSONPath.Step.name))
        let difference = RealmDifference(path, here: "one", there: "other")
        #expect((difference.here == nil) == isSecret, "\(path)")
        #expect((difference.there == nil) == isSecret, "\(path)")
    }

    @Test("Of one section, a hundred differences are named and all are counted")
    func bounded() async throws {
        let harbour = try await ExportSample.harbour()
        let roles = (0..<250).map { JSONValue.object(["name": .string("r\($0)")]) }
        let report = try await harbour.diff(
            ([
                "realm": "harbour",
                "users": .array(
                    (0..<130).map { ["username": .string("p\($0)")] }
                ), "groups": .array(roles),
            ] as JSONObject).serialized()
        )
        #expect(report.counts["users"] == 130 && report.counts["groups"] == 252)
        #expect(report.differences.count == 200)
    }

    @Test("A member that is null is missing, people too")
    func nulls() async throws {
        let harbour = try await ExportSample.harbour()
        for name in ["users", "clientScopes", "roles"] {
            var without = try Self.file()
            without[name] = nil
            var empty = without
            empty[name] = JSONValue.null
            let (differences, expected) = (
                try await harbour.diff(empty), try await harbour.diff(without)
            )
            #expect(differences == expected, "\(name)")
        }
    }

    @Test("In an array of realms, the one of that name is compared")
    func array() async throws {
        let harbour = try await ExportSample.harbour()
        let other: JSONObject = ["realm": "other", "users": [["username": "zoe"]]]
        let array: JSONValue = [.object(other), .object(try Self.file()), .object(other)]
        #expect(try await harbour.diff(array.serialized()).differences == [])
    }

    @Test(
        "A file that is broken, or no realm, is refused",
        arguments: [
            #"{"realm": "harbour""#, #"{"realm": "harbour"} 1"#, "[1]", "5", "",
            #"{"realm": "harbour", "users": {}}"#, #"{"realm": "harbour", "users": [1]}"#,
            #"{"realm": "harbour", "users": [{"username": "ada"}"#,
        ]
    )
    func broken(text: String) async throws {
        let harbour = try await ExportSample.harbour()
        await #expect(throws: (any Error).self) { try await harbour.diff(Array(text.utf8)) }
    }
}
