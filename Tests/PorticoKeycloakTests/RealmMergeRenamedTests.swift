import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what has another name, id, client or scope in a file than here")
struct RealmMergeRenamedTests {
    private static let nothing = RealmImporter.Differences()
    private static let (one, two, three, four) = (
        "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222",
        "33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"
    )
    private static let client = #""clients": [{"clientId": "c", "publicClient": true}]"#
    private static let ann = #"{"id": "p-1", "username": "ann", "enabled": true}"#

    private struct Thing {
        let name: String
        let id: String?
        var isStrong = false

        func json(_ strong: String) -> String {
            let id = id.map { #""id": "\#($0)", "# } ?? ""
            return #"{\#(id)"name": "\#(name)" \#(isStrong ? strong : "")}"#
        }
    }

    /// A role and a group for each; the strong ones have the rights of `boss`.
    private static func file(_ things: Thing...) -> String {
        let roles = things.map { $0.json(#", "composites": {"realm": ["boss"]}"#) }
        let groups = things.map { $0.json(#", "realmRoles": ["boss"]"#) }
        return #"""
            {"realm": "a", "enabled": true, \#(client),
             "roles": {"realm": [{"name": "boss"}, \#(roles.joined(separator: ", "))]},
             "groups": [\#(groups.joined(separator: ", "))], "users": [\#(ann)]}
            """#
    }

    /// The names of roles and of groups, and which of them have the rights of `boss`.
    private func names(
        _ scene: OverwriteScene
    ) async throws -> (roles: [String], groups: [String], strong: [String]) {
        let (realms, realmID) = (scene.database.realms, try await scene.realm.id)
        let groups = try await realms.groups(realmID: realmID)
        let strong =
            try await realms.roleParts(realmID: realmID).map(\.role).filter { !$0.isMade }.map(
                \.name
            )
            + groups.filter { !$0.roles.isEmpty }.map(\.group.name)
        return (
            try await realms.roles(realmID: realmID).map(\.roleName).filter { !$0.isMade }.map(
                \.name
            )
            .sorted(),
            groups.map(\.group.name).sorted(), strong
        )
    }

    @Test("KC-M-1: a new one under the name of one that the file renames brings nobody its rights")
    func newUnderName() async throws {
        let cases: [(String, String?)] = [
            (Self.one, Self.two), (Self.one, nil), ("one", "two"), ("one", nil),
        ]
        for (id, newID) in cases {
            let scene = try OverwriteScene()
            let first = Self.file(Thing(name: "a", id: id))
            try await scene.write(first)
            try await scene.use()
            let file = Self.file(
                Thing(name: "former", id: id),
                Thing(name: "a", id: newID, isStrong: true)
            )
            for _ in 0..<2 {
                let done = try await scene.write(file)
                #expect(done.differences == Self.nothing)
                for kind in ["role", "group"] {
                    let words = "what has its name here has another id in the file"
                    #expect(done.report.says(.skipped, "\(kind) a", words), "\(id)")
                    let renamed = "is here under another name"
                    #expect(done.report.says(.skipped, "\(kind) former", renamed), "\(id)")
                }
                let names = try await names(scene)
                #expect(names.roles == ["a", "boss"] && names.groups == ["a"])
                #expect(names.strong.isEmpty)
            }
            #expect(try await scene.write(first).report.lines(.skipped).isEmpty)
        }
    }

    @Test("KC-M-1: ids that are no UUIDs tell things apart, too")
    func rawIDs() async throws {
        let scene = try OverwriteScene()
        try await scene.write(
            Self.file(
                Thing(name: "a", id: "thing one"),
                Thing(name: "b", id: "thing two", isStrong: true)
            )
        )
        try await scene.use()
        for _ in 0..<2 {
            let report = try await scene.write(
                Self.file(
                    Thing(name: "b", id: "thing one"),
                    Thing(name: "a", id: "thing two", isStrong: true)
                )
            ).report
            for subject in ["role a", "role b", "group a", "group b"] {
                #expect(report.says(.skipped, subject, "has the id of another one"))
            }
            #expect(try await names(scene).strong == ["b", "b"])
        }
    }

    @Test("KC-M-1: a group that the file moves below another one leaves its name to nobody")
    func newBelow() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file(Thing(name: "a", id: Self.one)))
        try await scene.use()
        let moved = #"""
            {"realm": "a", "enabled": true, \#(Self.client),
             "roles": {"realm": [{"name": "boss"}]},
             "groups": [{"name": "a", "realmRoles": ["boss"]},
                {"name": "p", "subGroups": [{"id": "\#(Self.one)", "name": "a"}]}],
             "users": [\#(Self.ann)]}
            """#
        for _ in 0..<2 {
            let report = try await scene.write(moved).report
            #expect(report.says(.skipped, "group a", "what has its name here has another id"))
            #expect(report.says(.skipped, "group a", "or in another group"))
            let names = try await names(scene)
            #expect(names.groups == ["a", "p"] && names.strong.isEmpty)
        }
    }

    @Test("KC-M-1: things of each kind may be numbered from one")
    func kinds() async throws {
        let scene = try OverwriteScene()
        func file(_ more: String = "", _ client: String = "") -> String {
            #"""
            {"realm": "a", "enabled": true,
             "clients": [{"clientId": "c", "publicClient": true} \#(client)],
             "roles": {"realm": [{"id": "1", "name": "a"}]} \#(more), "users": [\#(Self.ann)]}
            """#
        }
        try await scene.write(file())
        try await scene.use()
        let report = try await scene.write(
            file(
                #", "groups": [{"id": "1", "name": "g"}]"#,
                #", {"id": "1", "clientId": "d", "publicClient": true}"#
            )
        ).report
        #expect(report.lines(.skipped).isEmpty, "\(report.lines(.skipped))")
        #expect(try await names(scene).groups == ["g"])
        #expect(try await scene.client("d") != nil)
    }

    @Test("KC-M-1: what was taken away here does not come back under another name of the file's")
    func renamedInFile() async throws {
        func file(_ name: String) -> String {
            #"""
            {"realm": "a", "enabled": true,
             "clients": [{"id": "\#(Self.three)", "clientId": "\#(name)",
                "secret": "a secret that is long"}],
             "clientScopes": [{"id": "\#(Self.four)", "name": "\#(name)",
                "protocol": "openid-connect"}],
             "roles": {"realm": [{"id": "\#(Self.one)", "name": "\#(name)"}]},
             "groups": [{"id": "\#(Self.two)", "name": "\#(name)"}],
             "users": [{"id": "p-1", "username": "ann", "enabled": true,
                "realmRoles": ["\#(name)"], "groups": ["/\#(name)"]}]}
            """#
        }
        let scene = try OverwriteScene()
        try await scene.write(file("boss"))
        try await scene.use()
        try await scene.change(client: "boss") { $0.isEnabled = false }
        try await scene.database.database.write { transaction in
            try transaction.run("DELETE FROM person_roles", [])
            try transaction.run("DELETE FROM person_groups", [])
        }
        for name in ["chief", "chief", "boss"] {
            let done = try await scene.write(file(name))
            #expect(done.differences == Self.nothing, "\(name)")
            for kind in ["client", "scope", "role", "group"] where name == "chief" {
                let words = "is here under another name"
                #expect(done.report.says(.skipped, "\(kind) chief", words), "\(kind)")
            }
            let snapshot = try await scene.database.realms.snapshot()
            let clients = snapshot.clients.filter { !$0.isMade }
            #expect(clients.map(\.clientID) == ["boss"])
            #expect(clients.allSatisfy { !$0.isEnabled })
            #expect(snapshot.scopes.map(\.name) == ["boss"])
            let names = try await names(scene)
            #expect(names.roles == ["boss"] && names.groups == ["boss"])
            let ann = try #require(try await scene.person("p-1"))
            #expect(ann.roles.isEmpty && ann.groupIDs.isEmpty)
        }
    }

    @Test("KC-M-1: a scope that was taken from a client here stays so, though a file lacked it")
    func scopes() async throws {
        for member in ["defaultClientScopes", "optionalClientScopes"] {
            let scene = try OverwriteScene()
            func file(_ scopes: [String]?, _ given: [String]) -> String {
                func list(_ words: [String]) -> String {
                    "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
                }
                let described = scopes.map { scopes in
                    let all = scopes.map { #"{"name": "\#($0)", "protocol": "openid-connect"}"# }
                    return #""clientScopes": [\#(all.joined(separator: ", "))],"#
                }
                let other =
                    member == "defaultClientScopes" ? "optionalClientScopes" : "defaultClientScopes"
                return #"""
                    {"realm": "a", "enabled": true, \#(described ?? "")
                     "clients": [{"clientId": "app", "publicClient": true, "\#(other)": [],
                        "\#(member)": \#(list(given))}], "users": [\#(Self.ann)]}
                    """#
            }
            func given() async throws -> [String] {
                let app = try #require(try await scene.client("app"))
                return (app.defaultScopes + app.optionalScopes).sorted()
            }
            let both = file(["a", "b"], ["a", "b"])
            try await scene.write(both)
            try await scene.use()
            try await scene.write(file(["a"], ["a", "b"]))
            #expect(try await given() == ["a", "b"], "\(member)")
            try await scene.change(client: "app") { client in
                client.defaultScopes.removeAll { $0 == "b" }
                client.optionalScopes.removeAll { $0 == "b" }
            }
            for _ in 0..<2 {
                try await scene.write(both)
                #expect(try await given() == ["a"], "\(member)")
            }
            // What the file takes away itself it may give again, where it describes no scopes, too.
            try await scene.write(file(nil, []))
            #expect(try await given().isEmpty, "\(member)")
            try await scene.write(file(nil, ["a"]))
            #expect(try await given() == ["a"], "\(member)")
        }
    }

    @Test("KC-M-1: who is the account of another client in the file, or of none, stays as they are")
    func accounts() async throws {
        func user(_ id: String, _ name: String, _ client: String?, _ role: String) -> String {
            let client = client.map { #", "serviceAccountClientId": "\#($0)""# } ?? ""
            return #"""
                {"id": "\#(id)", "username": "\#(name)", "enabled": true \#(client),
                 "realmRoles": ["\#(role)"]}
                """#
        }
        func file(_ users: String...) -> String {
            let clients = ["jobs", "more"].map {
                #"""
                {"clientId": "\#($0)", "secret": "a secret that is long",
                 "serviceAccountsEnabled": true}
                """#
            }
            return #"""
                {"realm": "a", "enabled": true, "clients": [\#(clients.joined(separator: ", "))],
                 "roles": {"realm": [{"name": "reader"}, {"name": "admin"}]},
                 "users": [\#(users.joined(separator: ", "))]}
                """#
        }
        let scene = try OverwriteScene()
        let (jobs, ann) = ("service-account-jobs", user("p-1", "ann", nil, "reader"))
        try await scene.write(file(user("s-1", jobs, "jobs", "reader"), ann))
        try await scene.use()
        let (account, person) = (try await scene.person("s-1"), try await scene.person("p-1"))
        #expect(account?.person.serviceClientID != nil && account?.roles.count == 1)
        let others = [
            (jobs, file(user("s-1", jobs, "more", "admin"), ann)),
            (jobs, file(user("s-1", jobs, nil, "admin"), ann)),
            ("ann", file(user("s-1", jobs, "jobs", "reader"), user("p-1", "ann", "more", "admin"))),
        ]
        for (name, other) in others + others {
            let done = try await scene.write(other)
            let words = "is not the account of the same client here: stays as it is here"
            #expect(done.report.says(.skipped, "user \(name)", words), "\(name)")
            #expect(done.differences == Self.nothing)
            #expect(try await scene.person("s-1") == account)
            #expect(try await scene.person("p-1") == person)
        }
    }

    @Test("KC-M-1: DIDs are ASCII, so that what Unicode holds equal is never two of them")
    func dids() async throws {
        let scene = try OverwriteScene()
        let users = ["ex\u{E9}.com", "exe\u{301}.com"].enumerated().map { index, host in
            #"""
            {"id": "p-\#(index)", "username": "ann\#(index)", "enabled": true,
             "attributes": {"did": ["did:web:\#(host)"]}}
            """#
        }
        try await scene.write(
            #"""
            {"realm": "a", "enabled": true, \#(Self.client),
             "users": [\#(users.joined(separator: ", "))]}
            """#
        )
        for id in ["p-0", "p-1"] {
            let kept = try #require(try await scene.person(id)).person
            #expect(kept.did == nil && kept.attributes["did"]?.count == 1)
        }
    }
}
