import Foundation
import PorticoBytes
import Testing

@Suite("A file that is written aside")
struct OwnerOnlyDraftTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-draft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var path: String { folder.appending(path: "realm.json").path }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test("it is there when it is whole, and its owner's alone")
    func whole() throws {
        // `try?`: the system clears it.
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("old".utf8).write(to: URL(filePath: path))
        let draft = try OwnerOnlyDraft(path, random: .system)
        try draft.write(Array("new ".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        for name in try names() where name != "realm.json" {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.appending(path: name).path
            )
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        try draft.write(Array("file".utf8))
        try draft.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new file")
        #expect(try names() == ["realm.json"])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    private func giveUp() throws {
        let draft = try OwnerOnlyDraft(path, random: .system)
        try draft.write(Array("half".utf8))
    }

    @Test("one that is given up leaves nothing, and the old file as it was")
    func givenUp() throws {
        // `try?`: the system clears it.
        defer { try? FileManager.default.removeItem(at: folder) }
        try giveUp()
        #expect(try names() == [])
        try Data("old".utf8).write(to: URL(filePath: path))
        // Where it is not written aside, it cannot be begun.
        #expect(throws: Never.self) { try giveUp() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        #expect(try names() == ["realm.json"])
    }

    @Test("where there is no folder, it is refused")
    func nowhere() throws {
        let nowhere = folder.appending(path: "no/realm.json").path
        #expect(throws: OwnerOnlyFile.Refusal.system(errno: ENOENT)) {
            _ = try OwnerOnlyDraft(nowhere, random: .system)
        }
    }
}
