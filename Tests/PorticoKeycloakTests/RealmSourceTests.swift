import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoKeycloak

@Suite("Realm files: one, several, parts")
struct RealmSourceTests {
    private func people(_ source: RealmSource) throws -> [[String]] {
        try source.realms.map { realm in
            var reader = PeopleReader(realm.people)
            var names: [String] = []
            while let person = try reader.next() {
                names.append("\(try person.text("username") ?? "") \(person.path)")
            }
            return names
        }
    }

    private func refusal(_ files: [RealmFile]) -> RealmFileError? {
        do {
            _ = try RealmSource(files)
            return nil
        } catch {
            return error
        }
    }

    private static let realm = RealmFile(
        #"{"realm": "a", "users": [{"username": "u"}, {"username": "v"}], "clients": [{"clientId": "c"}]}"#,
        name: "a-realm.json"
    )
    private static let first = RealmFile(
        #"{"realm": "a", "users": [{"username": "w"}]}"#,
        name: "a-users-0.json"
    )
    private static let second = RealmFile(
        #"{"users": [{"username": "x"}], "realm": "a"}"#,
        name: "a-users-1.json"
    )

    @Test("KC-M-1: people of a realm lie in its own file and in others, in whatever order")
    func parts() throws {
        for files in [
            [Self.realm, Self.first, Self.second], [Self.first, Self.realm, Self.second],
        ] {
            let source = try RealmSource(files)
            #expect(source.realms.map(\.name) == ["a"])
            #expect(
                try people(source) == [["u users[0]", "v users[1]", "w users[0]", "x users[0]"]]
            )
            // What stands behind the people is read, and they are not.
            let rest = try source.realms[0].representation()
            #expect(rest.object.array("users")?.isEmpty == true)
            #expect(rest.object.array("clients")?.count == 7)
        }
    }

    @Test("KC-M-1: people are read in the order of their ids across all files, those without last")
    func order() throws {
        let realm = RealmFile(
            #"{"realm": "a", "users": [{"username": "u"}, {"username": "v", "id": "c0"}], "id": "a"}"#,
            name: "a-realm.json"
        )
        let part = RealmFile(
            #"{"realm": "a", "users": [{"id": "b1", "username": "w"}, {"id": "d", "username": "x"}]}"#,
            name: "a-users-0.json"
        )
        let people = try people(try RealmSource([realm, part]))
        #expect(people == [["w users[0]", "v users[1]", "x users[1]", "u users[0]"]])
    }

    @Test("KC-M-1: an array of realms, with parts of one of them in another file")
    func several() throws {
        let array = RealmFile(
            #" [ {"realm":"b","users":[{"username":"u"}]}, {"users":[],"enabled":true,"realm":"a"},"#
                + #"{"realm":"b","enabled":true}]"#
        )
        let source = try RealmSource([array, Self.first])
        #expect(source.realms.map(\.name) == ["a", "b"])
        #expect(source.realms.map(\.path) == ["[1]", "[2]"])
        #expect(try people(source) == [["w users[0]"], ["u [0].users[0]"]])
        for realm in source.realms {
            #expect(try realm.representation().text("realm") == realm.name)
        }
    }

    @Test("KC-M-1: people without their realm are refused, with the file that has them")
    func alone() {
        let refused = refusal([Self.first])
        #expect(refused?.file == "a-users-0.json" && refused?.reason == .peopleAlone(path: ""))
        #expect(refused?.reason.description.contains("without their realm") == true)
    }

    @Test("A realm that is there twice is refused, in one file or in two")
    func twice() {
        let other = RealmFile(#"{"realm": "a", "enabled": true}"#, name: "other.json")
        #expect(refusal([Self.realm, other])?.file == "other.json")
        #expect(refusal([Self.realm, other])?.reason == .repeatedRealm(path: ""))
    }

    @Test(
        "RFC 8259: a file that is broken anywhere is refused with the place",
        arguments: [
            (#"{"realm": "a", "users": [{"username": "u"}, {"username": }]}"#, "users[1].username"),
            (
                #"{"realm": "a", "users": [{"id": "u"}], "clients": [{"a": [1,}]"#,
                "clients[0].a"
            ),
            (#"[{"realm": "a"}, {"realm": "b", "roles": {"realm": [{"name" 5}]}}]"#, "[1].roles"),
            (#"{"realm": "a"} x"#, "byte 15"),
            (#"{"realm": "a", "users": [{"username": "u"}"#, "users"),
        ]
    )
    func broken(text: String, place: String) {
        let refused = refusal([RealmFile(text)])
        guard case .notJSON(let error)? = refused?.reason else {
            Issue.record("\(text) is not refused as JSON")
            return
        }
        #expect(error.description.hasPrefix(place), "\(error)")
    }

    @Test("A realm file whose people lie elsewhere says so, and a partial export says that")
    func peopleElsewhere() async throws {
        func words(_ members: String) throws -> [String] {
            let file = RealmFile(#"{"realm": "a", "enabled": true\#(members)}"#)
            let place = try #require(try RealmSource([file]).realms.first)
            var report = ImportReport(realm: "a")
            place.reportMissingPeople(try place.representation(), report: &report)
            return report.lines.map(\.words)
        }
        func keys(_ secret: String) -> String {
            let config = #"{"secret": ["\#(secret)"], "kid": ["k"]}"#
            return #", "components": {"org.keycloak.keys.KeyProvider": [{"config": \#(config)}]}"#
        }
        #expect(try words(keys("c2VjcmV0")).first?.contains("users-0.json") == true)
        #expect(try words(keys("**********")).first?.contains("partial") == true)
        #expect(try words("").first?.contains("partial") == true)
        #expect(try words(#", "users": []"#).isEmpty)
        #expect(try words(#", "users": [], "federatedUsers": [{}]"#).count == 1)
    }

    @Test("A file of people is read in little memory: a piece at a time")
    func pieces() throws {
        let asked = Locked<[Int]>([])
        let users = (0..<20_000).map { #"{"username":"u\#($0)"}"# }.joined(separator: ",")
        let bytes = Array(#"{"realm":"a","users":[\#(users)],"enabled":true}"#.utf8)
        let file = RealmFile(name: "big") { offset throws(FileBytes.Refusal) in
            Pieces(rest: bytes[offset...], asked: asked)
        }
        let source = try RealmSource([file])
        #expect(try people(source)[0].count == 20_000)
        #expect(try source.realms[0].representation().bool("enabled") == true)
        #expect(asked.withLock { $0.max() ?? 0 } <= 256 * 1024)
    }
}

private struct Pieces: ByteSource {
    var rest: ArraySlice<UInt8>
    let asked: Locked<[Int]>

    mutating func next(upTo limit: Int) -> [UInt8] {
        asked.withLock { $0.append(limit) }
        defer { rest = rest.dropFirst(limit) }
        return Array(rest.prefix(limit))
    }
}
