import Crypto
import Foundation
import PorticoBytes
import Testing

@testable import PorticoSeals

@Suite("Key ring")
final class KeyRingTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-keyring-\(RandomSource.system.text(9))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // `try?`: what stays behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(at: folder)
    }

    private var path: String { folder.appending(path: "keys").path }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("WEB-CRYPT-3: a new ring has mode 0600 and comes back the same")
    func createAndLoad() throws {
        let made = try KeyRing.create(path, random: .system)
        #expect(try mode(path) == 0o600)
        let loaded = try KeyRing.load(path)
        #expect(loaded.activeID == made.activeID)
        #expect(loaded.text == made.text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    }

    @Test(
        "WEB-CRYPT-3: a ring that others may read or write is refused",
        arguments: [0o640, 0o604, 0o620, 0o602, 0o666, 0o601]
    )
    func exposed(mode: Int) throws {
        _ = try KeyRing.create(path, random: .system)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: KeyRingError.exposed) { try KeyRing.load(path) }
        #expect(throws: KeyRingError.exposed) { try KeyRing.loadOrCreate(path, random: .system) }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        #expect(throws: Never.self) { try KeyRing.load(path) }
    }

    @Test("Creating never replaces a ring, and leaves nothing behind")
    func exclusive() throws {
        let first = try KeyRing.create(path, random: .system)
        #expect(throws: KeyRingError.alreadyExists) { try KeyRing.create(path, random: .system) }
        #expect(try KeyRing.load(path).text == first.text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    }

    @Test("Of many processes that start at once, all get the same ring")
    func race() async throws {
        for round in 0..<20 {
            let path = folder.appending(path: "race\(round)").path
            let rings = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 {
                    group.addTask { try KeyRing.loadOrCreate(path, random: .system).text }
                }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(rings.count == 1)
        }
    }

    @Test("A missing ring and a folder in its place are named")
    func notThere() throws {
        #expect(throws: KeyRingError.missing) { try KeyRing.load(path) }
        #expect(throws: KeyRingError.notAFile) { try KeyRing.load(folder.path) }
        #expect(throws: KeyRingError.system(errno: ENOENT)) {
            try KeyRing.create(folder.appending(path: "no/such/folder").path, random: .system)
        }
    }

    static let key = "key 01020304 AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"

    @Test(
        "A file that is not a key ring of this version is refused",
        arguments: [
            "",
            "\n",
            "portico key ring 1\n",
            "portico key ring 2\nactive 01020304\n\(key)\n",
            "portico key ring 1\nactive 01020305\n\(key)\n",
            "portico key ring 1\nactive 01020304\n\(key)",
            "portico key ring 1\nactive 01020304\n\(key)\n\n",
            "portico key ring 1\nactive 01020304\n\(key)\n\(key)\n",
            "portico key ring 1\nactive 01020304\n\(key)\n\(key.dropLast(4))AAAA\n",
            "portico key ring 1\nactive 01020304\n\(key) \n",
            "portico key ring 1\nactive 0102030g\n\(key)\n",
            "portico key ring 1\nactive 1020304\n\(key)\n",
            "portico key ring 1\nactive 01020304\n\(key.dropLast(2))\n",
            "portico key ring 1\nactive 01020304\n\(key)A\n",
            "portico key ring 1\nactive 01020304\n\(key.dropLast())B\n",
            "portico key ring 1\r\nactive 01020304\r\n\(key)\r\n",
            String(repeating: "portico", count: 20_000),
        ]
    )
    func malformed(text: String) throws {
        try write(text)
        #expect(throws: KeyRingError.malformed) { try KeyRing.load(path) }
        // A ring is never made anew over a broken one: what it sealed would be lost.
        #expect(throws: KeyRingError.malformed) {
            try KeyRing.loadOrCreate(path, random: .system)
        }
    }

    @Test("The file's form is fixed")
    func knownFile() throws {
        try write("portico key ring 1\nactive 01020304\n\(Self.key)\n")
        let ring = try KeyRing.load(path)
        #expect(ring.activeID == KeyRing.KeyID(0x0102_0304))
        #expect(ring.keys[0].bytes == Array(1...32))
        #expect(String(decoding: ring.text, as: UTF8.self).hasSuffix("\(Self.key)\n"))
    }

    @Test(
        "Rotation overlaps: nodes know a new key before it seals, and the old one until it leaves"
    )
    func rotation() throws {
        let old = try ring()
        func code(_ ring: KeyRing) -> Seal { Seal(ring: ring, purpose: "code", realm: "demo") }
        let (both, added) = try old.adding(random: counting(from: 99))
        #expect(both.activeID == old.activeID)
        let rotated = try both.activating(added)

        let fromOld = code(old).seal([1], at: noon, random: .system)
        let fromNew = code(rotated).seal([2], at: noon, random: .system)
        #expect(try code(rotated).open(fromOld, at: noon, within: 60) == [1])
        #expect(try code(both).open(fromNew, at: noon, within: 60) == [2])
        #expect(throws: SealError.doesNotOpen) { try code(old).open(fromNew, at: noon, within: 60) }

        let after = try rotated.removing(old.activeID)
        #expect(try code(after).open(fromNew, at: noon, within: 60) == [2])
        #expect(throws: SealError.doesNotOpen) {
            try code(after).open(fromOld, at: noon, within: 60)
        }
        #expect(throws: KeyRingError.unknownKey) { try after.removing(added) }
        #expect(throws: KeyRingError.unknownKey) { try after.activating(old.activeID) }
    }

    @Test("A rotated ring replaces the file whole")
    func replace() throws {
        let ring = try KeyRing.create(path, random: .system)
        let (both, added) = try ring.adding(random: .system)
        try both.activating(added).replace(path, random: .system)
        let loaded = try KeyRing.load(path)
        #expect(loaded.keyIDs == [ring.activeID, added])
        #expect(loaded.activeID == added)
        #expect(try mode(path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    }

    @Test("Keys for HMACs differ by purpose and by master key, and stay the same")
    func derivedKeys() throws {
        let (ring, added) = try ring().adding(random: counting(from: 99))
        let keys = [
            ring.derivedKey(purpose: "refresh"),
            ring.derivedKey(purpose: "csrf"),
            ring.derivedKey(purpose: "refresh", from: added),
        ].map { $0?.withUnsafeBytes { Array($0) } }
        #expect(Set(keys).count == 3)
        #expect(keys.allSatisfy { $0?.count == 32 })
        #expect(ring.derivedKey(purpose: "refresh") == ring.derivedKey(purpose: "refresh"))
        #expect(ring.derivedKey(purpose: "refresh", from: KeyRing.KeyID(7)) == nil)
    }

    @Test("A ring's description and mirror hold no key")
    func silent() throws {
        let ring = try ring()
        var dumped = ""
        dump(ring, to: &dumped)
        for text in [String(describing: ring), String(reflecting: ring), dumped] {
            #expect(!text.contains("["))
            #expect(!text.contains("Symmetric"))
        }
        #expect(Mirror(reflecting: ring).children.map(\.label) == ["active"])
    }
}
