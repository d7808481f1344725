import Foundation
import PorticoBytes
import Testing

@Suite("Files of their owner alone")
final class OwnerOnlyFileTests {
    let folder: String

    init() throws {
        folder =
            FileManager.default.temporaryDirectory
            .appending(path: "portico-files-\(RandomSource.system.text(9))").path
        try OwnerOnlyFile.makeFolder(folder)
    }

    deinit {
        // `try?`: what stays behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var path: String { folder + "/file" }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("what is written is read, by this user only, whatever the mask")
    func roundTrip() throws {
        let earlier = umask(0)
        defer { umask(earlier) }
        try OwnerOnlyFile.makeFolder(folder + "/a/b/")
        for name in ["/a", "/a/b"] { #expect(try mode(folder + name) == 0o700) }
        for bytes in [[1, 2, 3], [], [UInt8](repeating: 7, count: 200_000)] as [[UInt8]] {
            try OwnerOnlyFile.write(bytes, to: path, random: .system)
            #expect(try OwnerOnlyFile.read(path, from: .program, limit: 200_000) == bytes)
            #expect(try mode(path) == 0o600)
        }
        #expect(OwnerOnlyFile.syncFolder(of: path))
        #expect(try names() == ["a", "file"])
    }

    @Test("a new file takes no other's place, and nothing is left behind")
    func new() throws {
        try OwnerOnlyFile.write([1], to: path, isNew: true, random: .system)
        #expect(throws: OwnerOnlyFile.Refusal.alreadyExists) {
            try OwnerOnlyFile.write([2], to: self.path, isNew: true, random: .system)
        }
        #expect(try OwnerOnlyFile.read(path, from: .program, limit: 1) == [1])
        try OwnerOnlyFile.makeFolder(folder + "/taken/x")
        #expect(throws: OwnerOnlyFile.Refusal.self) {
            try OwnerOnlyFile.write([2], to: self.folder + "/taken", random: .system)
        }
        #expect(throws: OwnerOnlyFile.Refusal.system(errno: ENOENT)) {
            try OwnerOnlyFile.write([2], to: self.folder + "/no/file", random: .system)
        }
        #expect(try names() == ["file", "taken"])
    }

    @Test(
        "a file that others may read or write is refused",
        arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o601]
    )
    func exposed(mode: Int) throws {
        try OwnerOnlyFile.write([1], to: path, random: .system)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        for origin in [OwnerOnlyFile.Origin.program, .administrator] {
            #expect(throws: OwnerOnlyFile.Refusal.exposed) {
                try OwnerOnlyFile.read(self.path, from: origin, limit: 1)
            }
        }
    }

    @Test("a file has its attributes before it is in its place, or is not put there")
    func prepared() throws {
        try OwnerOnlyFile.write([1], to: path, random: .system)
        var prepared: [String] = []
        try OwnerOnlyFile.write([2], to: path, random: .system) { file in
            prepared.append(file)
            // `try?`: what is not read is not equal.
            let old = try? OwnerOnlyFile.read(self.path, from: .program, limit: 1)
            return old == [1] && access(file, F_OK) == 0
        }
        #expect(prepared.count == 1 && prepared != [path])
        #expect(try OwnerOnlyFile.read(path, from: .program, limit: 1) == [2])
        #expect(throws: OwnerOnlyFile.Refusal.self) {
            try OwnerOnlyFile.write([3], to: self.path, random: .system) { _ in false }
        }
        #expect(try OwnerOnlyFile.read(path, from: .program, limit: 1) == [2])
        #expect(try names() == ["file"])
    }

    @Test("a link is followed only where an administrator may have put it")
    func link() throws {
        try OwnerOnlyFile.write([1], to: path, random: .system)
        let link = folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try OwnerOnlyFile.read(link, from: .administrator, limit: 1) == [1])
        #expect(throws: OwnerOnlyFile.Refusal.system(errno: ELOOP)) {
            try OwnerOnlyFile.read(link, from: .program, limit: 1)
        }
        try OwnerOnlyFile.write([2], to: link, random: .system)
        #expect(try OwnerOnlyFile.read(path, from: .program, limit: 1) == [1])
    }

    @Test("no file, a folder, a pipe and too many bytes have names of their own")
    func none() throws {
        func refusal(_ path: String) -> OwnerOnlyFile.Refusal? {
            do {
                _ = try OwnerOnlyFile.read(path, from: .program, limit: 3)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(path) == .missing)
        #expect(refusal(folder) == .notAFile)
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(refusal(folder + "/pipe") == .notAFile)
        try OwnerOnlyFile.write([1, 2, 3, 4], to: path, random: .system)
        #expect(refusal(path) == .tooLong)
        #expect(refusal(path + "/below") == .missing)
    }

    @Test("the first folder that cannot be made is named; what is no folder is none")
    func noFolder() throws {
        try OwnerOnlyFile.write([1], to: path, random: .system)
        func obstacle(_ path: String) -> OwnerOnlyFile.FolderRefusal? {
            do {
                try OwnerOnlyFile.makeFolder(path)
                return nil
            } catch {
                return error
            }
        }
        #expect(obstacle(path)?.path == path)
        #expect(obstacle(path)?.reason == EEXIST)
        #expect(obstacle(path + "/a/b/c")?.path == path + "/a")
        #expect(obstacle(path + "/a/b/c")?.reason == ENOTDIR)
        try OwnerOnlyFile.makeFolder("/")
        try OwnerOnlyFile.makeFolder(".")
    }

    @Test(
        "the folder of a path",
        arguments: [
            ("/a/b", "/a"), ("/a/b//", "/a"), ("/a//b", "/a"), ("/a", "/"), ("//a", "/"),
            ("a/b", "a"), ("a", nil), ("a/", nil), ("/", nil), ("", nil),
        ] as [(String, String?)]
    )
    func parent(path: String, folder: String?) {
        #expect(OwnerOnlyFile.folder(of: path) == folder)
    }
}
