import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoSeals

@Suite("Passwords of Iron's seals")
struct IronPasswordsTests {
    private let now = IronForge.now
    private let old = IronPasswords.Password.text(SecretText("the password of last year, retired"))
    private let current = IronPasswords.Password.text(SecretText(IronForge.password))

    private func id(of passwords: IronPasswords) throws -> String {
        let seal = try Iron(passwords).seal([:], lifetime: nil, at: now, random: .system)
        return String(seal.split(separator: "*", omittingEmptySubsequences: false)[1])
    }

    @Test("IRON-R-2, attack F10: the highest number seals; what others sealed opens until they go")
    func rotation() throws {
        let before = try IronPasswords([("1", old)])
        let during = try IronPasswords([("1", old), ("2", current)])
        let after = try IronPasswords([("2", current)])
        let first = try Iron(before).seal(["a": 1], lifetime: nil, at: now, random: .system)
        let second = try Iron(during).seal(["a": 2], lifetime: nil, at: now, random: .system)
        #expect(try Iron(during).open(first, at: now).passwordID == "1")
        #expect(try Iron(during).open(second, at: now).passwordID == "2")
        #expect(try Iron(after).open(second, at: now).object == ["a": 2])
        #expect(throws: IronError.password) { try Iron(after).open(first, at: now) }
        #expect(throws: IronError.password) { try Iron(before).open(second, at: now) }
        // As iron-session: an empty session.
        #expect(try IronSession(after).compatible("\(first)~2", at: now) == [:])
    }

    @Test("IRON-S-3: the highest number makes seals, or the one that is named")
    func sealing() throws {
        #expect(try id(of: IronPasswords([("2", old), ("10", old), ("9", old)])) == "10")
        #expect(try id(of: IronPasswords([("2", old), ("x", old)])) == "2")
        #expect(try id(of: IronPasswords([("a", old), ("b", old)])) == "b")
        #expect(try id(of: IronPasswords([("2", old), ("1", old)], sealing: "1")) == "1")
        #expect(try id(of: IronPasswords(session: SecretText(IronForge.password))) == "1")
        #expect(throws: IronError.passwordID) { try IronPasswords([("1", old)], sealing: "2") }
        #expect(throws: IronError.passwordID) { try IronPasswords([]) }
    }

    @Test("IRON-R-1: a seal without an id is that of the password `default`")
    func noID() throws {
        let seal = try IronForge.seal { $0.id = "" }
        for id in ["", "default"] {
            let iron = Iron(try IronForge.passwords([id, "1"]))
            #expect(try iron.open(seal, at: now).object == ["a": 1])
        }
        #expect(throws: IronError.password) {
            try Iron(IronForge.passwords(["1"])).open(seal, at: now)
        }
        let named = try IronForge.seal { $0.id = "default" }
        #expect(try Iron(IronForge.passwords([""])).open(named, at: now).object == ["a": 1])
    }

    @Test("attack F05: an id that names no password finds none, whatever it is")
    func foreignIDs() throws {
        let iron = Iron(try IronForge.passwords(["1", "default"]))
        for id in [
            "__proto__", "constructor", "toString", "1 ", " 1", "01", "1\0", "\u{661}", "DEFAULT",
            String(repeating: "1", count: 7_000),
        ] {
            let seal = try IronForge.seal { $0.id = id }
            #expect(throws: IronError.password, "\(id.prefix(10))") { try iron.open(seal, at: now) }
        }
        let long = try IronForge.seal { $0.id = String(repeating: "1", count: 10_240) }
        #expect(throws: IronError.tooLong) { try iron.open(long, at: now) }
    }

    @Test("IRON-F-5: an id is letters, digits and underscores, at most 64, and no one else's")
    func ids() throws {
        for id in ["a-b", "a b", "a*b", "\u{E9}", "1\u{301}", String(repeating: "a", count: 65)] {
            #expect(throws: IronError.passwordID, "\(id)") { try IronPasswords([(id, old)]) }
        }
        for pair in [["1", "1"], ["", ""], ["", "default"], ["default", ""]] {
            #expect(throws: IronError.passwordID) { try IronPasswords(pair.map { ($0, old) }) }
        }
        _ = try IronPasswords([("A_9", old), (String(repeating: "a", count: 64), old)])
    }

    @Test("IRON-K-3: a password has at least 32 UTF-16 code units")
    func short() throws {
        func password(_ text: String) throws -> IronPasswords {
            try IronPasswords([("1", .text(SecretText(text)))])
        }
        for text in ["", "short", String(repeating: "a", count: 31)] {
            #expect(throws: IronError.passwordTooShort) { try password(text) }
        }
        _ = try password(String(repeating: "a", count: 32))
        // Two units each.
        _ = try password(String(repeating: "\u{1F510}", count: 16))
        #expect(throws: IronError.passwordTooShort) {
            try password(String(repeating: "\u{E9}", count: 31))
        }
    }

    @Test("IRON-K-5: a password that may hold less than 128 bits is told apart")
    func weak() {
        let random = RandomSource.system
        for _ in 0..<100 {
            #expect(!IronPasswords.isWeak(SecretText(random.text(32))))
            #expect(!IronPasswords.isWeak(SecretText(Hexadecimal.text(random.bytes(32)))))
        }
        for text in [
            "", String(repeating: "a", count: 64), String(repeating: "ab", count: 60),
            String(repeating: "password", count: 4), "00000000000000000000000000000001",
        ] {
            #expect(IronPasswords.isWeak(SecretText(text)), "\(text)")
        }
    }

    @Test("passwords show nothing of themselves")
    func redacts() throws {
        let key = IronPasswords.Password.key([UInt8](repeating: 200, count: 32))
        let passwords = try IronPasswords([("1", current), ("2", key)])
        var dumped = ""
        dump(passwords, to: &dumped)
        dump(key, to: &dumped)
        dump(Iron(passwords), to: &dumped)
        dumped += "\(passwords) \(key) \(Iron(passwords)) \(String(reflecting: passwords))"
        #expect(!dumped.contains("200"))
        #expect(!dumped.contains("password of our own"))
    }
}
