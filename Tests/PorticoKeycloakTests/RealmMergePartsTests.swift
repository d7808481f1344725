import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: parts of a realm are kept once, however a file spells their ids")
struct RealmMergePartsTests {
    private static let nothing = RealmImporter.Differences()
    private static let storage = "org.keycloak.storage.UserStorageProvider"

    /// - Parameter id: Of the number of a part: the member of its id.
    private static func file(_ id: @Sendable (Int) -> String, flow: String = "one") -> String {
        #"""
        {"realm": "a", "enabled": true,
         "identityProviders": [{"alias": "house", "providerId": "oidc"}],
         "identityProviderMappers": [
            {\#(id(1))"name": "city", "identityProviderAlias": "house"},
            {\#(id(2))"name": "city", "identityProviderAlias": "other"}],
         "authenticationFlows": [
            {\#(id(3))"alias": "browser", "description": "\#(flow)"}, {\#(id(4))"alias": "forms"}],
         "authenticatorConfig": [{\#(id(5))"alias": "puzzle", "config": {"secret": "s3cret"}}],
         "components": {
            "\#(storage)": [
                {\#(id(6))"name": "same", "subType": "anonymous", "config": {}},
                {\#(id(7))"name": "same", "subType": "signed", "config": {}},
                {\#(id(8))"name": "same", "subType": "signed", "config": {"a": ["b"]}}]},
         "clients": [{"clientId": "app", "publicClient": true}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """#
    }

    private static let without: @Sendable (Int) -> String = { _ in "" }
    private static let small: @Sendable (Int) -> String = {
        #""id": "aaaaaaaa-0000-4000-8000-00000000000\#($0)", "#
    }
    private static let capital: @Sendable (Int) -> String = {
        #""id": "AAAAAAAA-0000-4000-8000-00000000000\#($0)", "#
    }

    private func parts(_ scene: OverwriteScene) async throws -> [RealmPart] {
        try await scene.database.realms.parts(nil, realmID: try await scene.realm.id)
            .filter { $0.kind != "identityProviders" }
    }

    private func differences(_ scene: OverwriteScene, _ file: String) async throws -> [String] {
        let diff = RealmDiff(
            realms: scene.database.realms,
            people: scene.database.people,
            ring: TestRealm.ring
        )
        let report = try #require(
            try await diff(
                try await scene.realm,
                RealmFileReader { BytesSource(Array(file.utf8)) },
                at: RealmImportTests.noon.seconds
            )
        )
        return report.differences.map { "\($0.kind) \($0.path)" }
    }

    @Test("KC-M-1: a file without ids, or with capital ones, changes no part and adds none")
    func otherIDs() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file(Self.small))
        try await scene.use()
        let before = try await parts(scene)
        #expect(before.count == 8)
        #expect(before.allSatisfy { $0.document.string("id") == $0.id })
        for other in [Self.without, Self.capital, Self.small] {
            for _ in 0..<2 {
                let staged = try await scene.write(Self.file(other))
                #expect(staged.differences == Self.nothing)
                #expect(!staged.report.lines(.skipped).contains { $0.words.contains("twice") })
                #expect(try await parts(scene) == before)
            }
            #expect(try await differences(scene, Self.file(other)) == [])
        }
        // What the file changes is changed, where it has no ids, too.
        let changed = Self.file(Self.without, flow: "two")
        let flow = "aaaaaaaa-0000-4000-8000-000000000003"
        #expect(
            try await differences(scene, changed)
                == ["changed authenticationFlows.\(flow).description"]
        )
        try await scene.write(changed)
        let after = try await parts(scene)
        #expect(after.map(\.id) == before.map(\.id))
        let kept = try #require(after.first { $0.id == flow })
        #expect(kept.document.string("description") == "two")
        #expect(kept.document.string("id") == flow)
    }

    @Test("KC-M-1: parts that came without ids get those that a later file says, and stay the same")
    func laterIDs() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file(Self.without))
        try await scene.use()
        let before = try await parts(scene)
        #expect(before.count == 8)
        #expect(try await scene.write(Self.file(Self.without)).differences == Self.nothing)
        #expect(try await scene.write(Self.file(Self.small)).differences?.things == 8)
        let after = try await parts(scene)
        #expect(after.map(\.id) == before.map(\.id))
        #expect(Set(after.compactMap { $0.document.string("id") }).count == 8)
        for other in [Self.small, Self.capital, Self.without] {
            let staged = try await scene.write(Self.file(other))
            #expect(staged.differences == Self.nothing)
            #expect(try await parts(scene) == after)
            #expect(try await differences(scene, Self.file(other)) == [])
        }
    }

    @Test("KC-M-1: parts of one name, of none, or with empty ids are all kept, and stay themselves")
    func sameNames() async throws {
        let many = (0..<12).map { #"{"alias": "many", "description": "\#($0)"}"# }
        let flows =
            many + [
                #"{"alias": "a", "description": "first"}"#,
                #"{"id": "A", "alias": "a", "description": "second"}"#,
                #"{"alias": "a 2"}"#, #"{"alias": "A"}"#, #"{"id": "", "alias": "empty"}"#,
                #"{"id": "", "alias": ""}"#, #"{"alias": "", "description": "nothing"}"#,
                #"{"description": "no name"}"#,
            ]
        let file = #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "app", "publicClient": true}],
             "authenticationFlows": [\#(flows.joined(separator: ", "))],
             "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
            """#
        let scene = try OverwriteScene()
        let first = try await scene.write(file).report
        #expect(!first.lines(.skipped).contains { $0.words.contains("twice") })
        try await scene.use()
        let before = try await parts(scene)
        #expect(before.count == flows.count)
        #expect(before.allSatisfy { !$0.id.isEmpty })
        for _ in 0..<2 {
            #expect(try await scene.write(file).differences == Self.nothing)
            #expect(try await parts(scene) == before)
        }
        // A new one without an id is not the one of its name whose id the file has.
        let added = file.replacing(
            #"{"alias": "a 2"}"#,
            with: #"{"alias": "a 2"}, {"alias": "new"}"#
        )
        .replacing(#"{"id": "", "alias": ""}"#, with: #"{"id": "N", "alias": "new"}"#)
        try await scene.write(
            file.replacing(#"{"id": "", "alias": ""}"#, with: #"{"id": "N", "alias": "new"}"#)
        )
        let new = try await scene.write(added).report
        #expect(!new.lines(.skipped).contains { $0.words.contains("twice") })
        let named = try await parts(scene).filter { $0.document.string("alias") == "new" }
        #expect(Set(named.map(\.id)) == ["N", "new"])
        // The second of two that are the same is told.
        let twice = file.replacing(#"{"id": "", "alias": ""}"#, with: #"{"id": "A", "alias": "x"}"#)
        let report = try await scene.write(twice).report
        #expect(report.says(.skipped, "authenticationFlows A", "the file has it twice"))
    }
}
