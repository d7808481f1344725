import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoSeals

@Suite("The file with the passwords of seals") struct IronPasswordFileTests {
    private static let one = "the first of two passwords, long enough"
    private static let two = "the second of them, and long enough too"

    private func passwords(_ text: String) throws -> IronPasswords {
        try IronPasswords(text: Array(text.utf8))
    }

    @Test("decision 0056: all passwords open, and the last one seals, whatever its id")
    func lines() throws {
        let both = Iron(try passwords("7 \(Self.one)\n2 \(Self.two)\n"))
        let newest = Iron(try IronPasswords([("2", .text(SecretText(Self.two)))]))
        let oldest = Iron(try IronPasswords([("7", .text(SecretText(Self.one)))]))
        let seal = try both.seal(["a": 1], lifetime: nil, at: 0, random: .system)
        #expect(try newest.open(seal, at: 0).object == ["a": 1])
        let old = try oldest.seal(["a": 2], lifetime: nil, at: 0, random: .system)
        #expect(try both.open(old, at: 0).object == ["a": 2])
        // The last line may have no end.
        _ = try passwords("1 \(Self.one)")
    }

    @Test(
        "a line that is no id and password is refused, by its number",
        arguments: [
            ("\n", 1), ("1\n", 1), (" \(one)\n", 1), ("1 \(one)\n\n2 \(two)\n", 2),
            ("1 \(one)\r\n", 1), ("1 \(one)\n2\n", 2), ("1 \(one)\0\n", 1),
        ]
    )
    func malformed(_ text: String, line: Int) {
        #expect(throws: IronPasswords.FileRefusal.line(line)) { try passwords(text) }
    }

    @Test("IRON-K-3: passwords that are short, and ids that are none or twice there, are refused")
    func refused() {
        #expect(throws: IronPasswords.FileRefusal.passwords(.passwordTooShort)) {
            try passwords("1 \(String(repeating: "x", count: 31))\n")
        }
        for text in ["", "a-b \(Self.one)\n", "1 \(Self.one)\n1 \(Self.two)\n"] {
            #expect(throws: IronPasswords.FileRefusal.passwords(.passwordID)) {
                try passwords(text)
            }
        }
    }

    @Test("of many that need the file at once, all get the same passwords")
    func race() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-passwords-" + RandomSource.system.text(9))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // `try?`: what stays behind is a temporary file.
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 0..<20 {
            let path = folder.appending(path: "race\(round)").path
            let all = try await withThrowingTaskGroup(of: IronPasswords.self) { group in
                for _ in 0..<8 {
                    group.addTask { try IronPasswords.loadOrCreate(path, random: .system) }
                }
                return try await group.reduce(into: [IronPasswords]()) { $0.append($1) }
            }
            let kept = try IronPasswords.load(path)
            #expect(all.count == 8 && all.allSatisfy { $0 == kept })
        }
        // Between the look for the file and its making: another process makes it.
        let path = folder.appending(path: "between").path
        let other = Locked<IronPasswords?>(nil)
        let late = RandomSource { count in
            // `try?`: what is not made is missed below.
            let made = try? IronPasswords.loadOrCreate(path, random: .system)
            other.withLock { $0 = $0 ?? made }
            return RandomSource.system.bytes(count)
        }
        let mine = try IronPasswords.loadOrCreate(path, random: late)
        #expect(other.withLock { $0 } == mine)
    }

    @Test("a file is made once, for its owner only, and is read as it is")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-passwords-" + RandomSource.system.text(9))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "seal-passwords").path
        #expect(throws: IronPasswords.FileRefusal.file(.missing)) { try IronPasswords.load(path) }
        let made = Iron(try IronPasswords.loadOrCreate(path, random: .system))
        let seal = try made.seal(["a": 1], lifetime: nil, at: 0, random: .system)
        let again = Iron(try IronPasswords.loadOrCreate(path, random: .system))
        #expect(try again.open(seal, at: 0).object == ["a": 1])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(chmod(path, 0o640) == 0)
        #expect(throws: IronPasswords.FileRefusal.file(.exposed)) { try IronPasswords.load(path) }
    }
}
