import Crypto
import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoSeals

@Suite("Seals of Iron")
struct IronTests {
    private let now = IronForge.now
    private let object: JSONObject = [
        "did": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "createdAt": 1_800_000_000_000,
    ]

    private func iron(_ ids: [String] = ["1"]) throws -> Iron {
        Iron(try IronForge.passwords(ids))
    }

    /// Made by Python's and OpenSSL's cryptography.
    private static let known =
        "Fe26.2*1*0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
        + "*QUJDREVGR0hJSktMTU5PUA*xd73pQ8vMMONxmzWXHb-6xpWZaSoHoCoU6urGM3i47RZvip7VIVA5CrAyeC5EH4g"
        + "7zz7muTOic3HYYdrooqjmc3SWQ4UQFHbESXEx0FSYAY*1801209600000"
        + "*2122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40"
        + "*BIUKjGfXBu9mCNoaUp5HBuf72H8__OGe33VIh7L5_eA"

    @Test("IRON-K-1, IRON-E-1, IRON-I-1, IRON-I-2: a seal is what other cryptography makes of it")
    func knownAnswer() throws {
        let text = try iron().seal(
            object,
            lifetime: 1_209_600_000,
            at: now,
            random: counting(from: 1)
        )
        #expect(text == Self.known)
        let opened = try iron().open(text, at: now)
        #expect(opened.object == object)
        #expect(opened.expiresAt == 1_801_209_600_000)
        #expect(opened.passwordID == "1")
    }

    @Test("IRON-J-3: text of all languages passes, in seals of others too")
    func unicode() throws {
        let seal =
            "Fe26.2*1*0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
            + "*QUJDREVGR0hJSktMTU5PUA*Co3XjCZdbK7bdcIsexmJRRPttAYtFnkFI1bj2T2ISdg*"
            + "*2122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40"
            + "*V2JWxL83Uvcc8wp9_9MCNzRenIY4HZ128Owg5ItgvPg"
        let object: JSONObject = ["name": "Zo\u{EB} \u{1F510}", "n": .null]
        #expect(try iron().open(seal, at: now).object == object)
        let ours = try iron().seal(object, lifetime: nil, at: now, random: counting(from: 1))
        #expect(ours == seal)
    }

    @Test("IRON-F-1, F-4, F-6, F-7, F-8, F-9, K-2: eight fields, each in its form, never the same")
    func form() throws {
        var seen: Set<Substring> = []
        for lifetime in [nil, 0, 1, 90 * 86_400_000] as [Int64?] {
            let text = try iron().seal(object, lifetime: lifetime, at: now, random: .system)
            #expect(text.wholeMatch(of: /[A-Za-z0-9\-_*.]+/) != nil)
            let fields = text.split(separator: "*", omittingEmptySubsequences: false)
            try #require(fields.count == 8)
            #expect(fields[0] == "Fe26.2")
            #expect(fields[1] == "1")
            #expect(fields[2].wholeMatch(of: /[0-9a-f]{64}/) != nil)
            #expect(fields[6].wholeMatch(of: /[0-9a-f]{64}/) != nil)
            #expect(Base64URL.decode(fields[3].utf8)?.count == 16)
            let ciphertext = try #require(Base64URL.decode(fields[4].utf8))
            #expect(!ciphertext.isEmpty && ciphertext.count.isMultiple(of: 16))
            #expect(fields[5] == (lifetime ?? 0 == 0 ? "" : "\(now + (lifetime ?? 0))"))
            #expect(fields[7].utf8.count == 43)
            for field in [fields[2], fields[3], fields[6]] {
                #expect(seen.insert(field).inserted)
            }
            #expect(try iron().open(text, at: now).object == object)
        }
    }

    @Test("IRON-F-2: any other number of fields is refused")
    func fieldCount() throws {
        let right = try IronForge.seal()
        let fields = right.split(separator: "*", omittingEmptySubsequences: false)
        for text in [
            "", "*", "x*\(right)", "\(right)*", "*\(right)", fields[1...].joined(separator: "*"),
            String(repeating: "*", count: 8_192),
        ] {
            #expect(throws: IronError.components) { try iron().open(text, at: now) }
        }
        #expect(try iron().open(right, at: now).object == ["a": 1])
    }

    @Test("IRON-F-3: the prefix is exactly Fe26.2", arguments: ["", "fe26.2", "Fe26.1", "Fe26.20"])
    func prefix(text: String) throws {
        let seal = try IronForge.seal { $0.prefix = text }
        #expect(throws: IronError.prefix) { try iron().open(seal, at: now) }
    }

    @Test("IRON-K-4: a key of 32 bytes is used as it is, and its seals have no salts")
    func binaryKey() throws {
        let key = Array(0..<32) as [UInt8]
        let iron = Iron(try IronPasswords([("", .key(key))]))
        let text = try iron.seal(["a": 1], lifetime: nil, at: now, random: counting(from: 1))
        let known =
            "Fe26.2***AQIDBAUGBwgJCgsMDQ4PEA*g-QOpRtjir7pzw7PB3A8jQ***"
            + "vt-eleJhfJ2Vmavg_lxJrw9nRY0mXH-poWAWSeLmuq4"
        #expect(text == known)
        #expect(try iron.open(text, at: now).object == ["a": 1])
        // The salt before the code is not signed.
        let salted = text.replacingOccurrences(of: "***vt", with: "**0a*vt")
        #expect(salted != text)
        #expect(throws: IronError.mac) { try iron.open(salted, at: now) }
        for count in [0, 16, 31, 33] {
            #expect(throws: IronError.keyLength) {
                try IronPasswords([("", .key([UInt8](repeating: 1, count: count)))])
            }
        }
    }

    @Test("IRON-K-6: a password may be two, one for each purpose")
    func split() throws {
        let other = SecretText("another one of our own, as long as that")
        let first = SecretText(IronForge.password)
        let both = Iron(
            try IronPasswords([("1", .split(encryption: first, integrity: other))])
        )
        let text = try both.seal(object, lifetime: nil, at: now, random: .system)
        #expect(try both.open(text, at: now).object == object)
        let turned = Iron(
            try IronPasswords([("1", .split(encryption: other, integrity: first))])
        )
        let half = Iron(try IronPasswords([("1", .text(other))]))
        #expect(throws: IronError.mac) { try turned.open(text, at: now) }
        #expect(throws: IronError.mac) { try iron().open(text, at: now) }
        // The code is right, and the other half is not.
        #expect(throws: (any Error).self) { try half.open(text, at: now) }
        let short = SecretText("short")
        for password in [
            IronPasswords.Password.split(encryption: short, integrity: first),
            .split(encryption: first, integrity: short),
        ] {
            #expect(throws: IronError.passwordTooShort) { try IronPasswords([("1", password)]) }
        }
    }

    @Test("IRON-I-3, attack F02: a bit that changes in any field opens nothing")
    func bitFlips() throws {
        let seal = try IronForge.seal { $0.expiration = "1801209600000" }
        for (index, byte) in seal.utf8.enumerated() {
            for bit in 0..<7 {
                var changed = Array(seal.utf8)
                changed[index] = byte ^ 1 << UInt8(bit)
                let text = String(decoding: changed, as: UTF8.self)
                #expect(throws: (any Error).self, "\(index), \(bit)") {
                    try iron().open(text, at: now)
                }
            }
        }
    }

    @Test("attack F03: fields that change places, and blocks in another order, are a wrong code")
    func swapped() throws {
        let seal = try IronForge.seal { $0.plaintext = #"{"a":"0123456789012345678901234567"}"# }
        let fields = seal.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        func changed(_ change: (inout [String]) -> Void) -> String {
            var other = fields
            change(&other)
            return other.joined(separator: "*")
        }
        let ciphertext = try #require(Base64URL.decode(fields[4]))
        let blocks = ciphertext[16..<32] + ciphertext[..<16] + ciphertext[32...]
        let other = Base64URL.encode([UInt8](repeating: 9, count: 16))
        for text in [
            changed { $0.swapAt(2, 6) }, changed { $0[3] = other },
            changed { $0[4] = Base64URL.encode(blocks) },
        ] {
            #expect(text != seal)
            #expect(throws: IronError.mac) { try iron().open(text, at: now) }
        }
    }

    @Test("IRON-I-4, IRON-V-1: a code has one spelling")
    func codeSpelling() throws {
        let seal = try IronForge.seal()
        let last = try #require(seal.utf8.last)
        // The last character has two bits that mean nothing.
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let alphabet = Array("\(letters)0123456789-_".utf8)
        let value = try #require(alphabet.firstIndex(of: last))
        let sibling = String(UnicodeScalar(alphabet[value ^ 1]))
        for text in [
            seal + "=", seal + "A", String(seal.dropLast()) + sibling, String(seal.dropLast()),
        ] {
            #expect(throws: IronError.mac, "\(text.suffix(4))") { try iron().open(text, at: now) }
        }
    }

    @Test(
        "IRON-T-1, attack F04: an expiration is digits without a leading zero, though the code is right",
        arguments: [
            "0", "00001801209600000", "01801209600000", "+1", "-1", "1e13", "1801209600000 ",
            "18012096000.0", "1\u{FF18}01209600000", "\u{661}", "x", "1801209600000000", "0x1",
        ]
    )
    func expirationForm(text: String) throws {
        let seal = try IronForge.seal { $0.expiration = text }
        #expect(throws: IronError.expiration) { try iron().open(seal, at: now) }
    }

    @Test("IRON-T-2: a seal is good for a minute more than it says, and not a millisecond longer")
    func skew() throws {
        let seal = try IronForge.seal { $0.expiration = "1800000000000" }
        for offset in [-86_400_000, 0, 59_999] as [Int64] {
            #expect(try iron().open(seal, at: now + offset).expiresAt == now)
        }
        for offset in [60_000, 60_001, 86_400_000] as [Int64] {
            #expect(throws: IronError.expired) { try iron().open(seal, at: now + offset) }
        }
        let forever = try IronForge.seal()
        #expect(try iron().open(forever, at: Int64.max / 2).expiresAt == nil)
    }

    @Test("IRON-T-3: a seal's own expiration counts, and a life that cannot be written is refused")
    func lifetime() throws {
        let text = try iron().seal(object, lifetime: 1, at: now, random: .system)
        #expect(try iron().open(text, at: now + 60_000).expiresAt == now + 1)
        #expect(throws: IronError.expired) { try iron().open(text, at: now + 60_001) }
        for lifetime in [Int64.max, 999_999_999_999_999, -now, -now - 1] {
            #expect(throws: IronError.expiration) {
                try iron().seal(object, lifetime: lifetime, at: now, random: .system)
            }
        }
    }

    @Test("IRON-T-4, attack F01: of several faults the first in order is told")
    func order() throws {
        var forge = IronForge(
            prefix: "x",
            id: "x",
            plaintext: "x",
            expiration: "x",
            encoded: ("x", nil),
            code: "x"
        )
        // What each says is mended, and then the next is said.
        let mended: [(IronError, (inout IronForge) -> Void)] = [
            (.prefix, { $0.prefix = "Fe26.2" }),
            (.expiration, { $0.expiration = "1" }),
            (.expired, { $0.expiration = "" }),
            (.password, { $0.id = "1" }),
            (.mac, { $0.code = nil }),
            (.encoding, { $0.encoded = (nil, nil) }),
            (.json, { $0.plaintext = "{}" }),
        ]
        for (error, mend) in mended {
            let seal = try forge.seal()
            #expect(throws: error) { try iron().open(seal, at: now) }
            #expect(throws: IronError.components) { try iron().open("\(seal)*", at: now) }
            mend(&forge)
        }
        #expect(try iron().open(forge.seal(), at: now).object == [:])
    }

    @Test("what a right code covers may still be no ciphertext: nothing traps")
    func ciphertext() throws {
        let right = try IronForge.seal()
        #expect(try iron().open(right, at: now).object == ["a": 1])
        for (vector, ciphertext) in [
            ("AAECAwQFBgcICQoLDA0O", nil), ("", nil), ("AAECAwQFBgcICQoLDA0ODw==", nil), ("*", nil),
            (nil, ""), (nil, "AA"), (nil, "AAECAwQFBgcICQoLDA0O"), (nil, "A"), (nil, "a b"),
            (nil, Base64URL.encode([UInt8](repeating: 0, count: 24))),
        ] as [(String?, String?)] {
            let seal = try IronForge.seal { $0.encoded = (vector, ciphertext) }
            #expect(throws: (any Error).self) { try iron().open(seal, at: now) }
            if vector != "*" {
                #expect(throws: IronError.encoding) { try iron().open(seal, at: now) }
            }
        }
        let noise = try IronForge.seal {
            $0.encoded.ciphertext = Base64URL.encode([UInt8](repeating: 0, count: 32))
        }
        #expect(throws: (any Error).self) { try iron().open(noise, at: now) }
    }

    @Test("attack F09: who does not know the password learns nothing of what is inside")
    func oracle() throws {
        let stranger = "what a stranger takes for the password"
        // A right padding, a wrong one, no block, and no base64url: all that is told is the code.
        for ciphertext in [nil, Base64URL.encode([UInt8](repeating: 0, count: 32)), "AA", "x"] {
            let seal = try IronForge.seal {
                $0.password = stranger
                $0.encoded.ciphertext = ciphertext
            }
            #expect(throws: IronError.mac) { try iron().open(seal, at: now) }
        }
    }

    @Test(
        "IRON-J-1, IRON-V-2: what is sealed is an object that changes no other, and only JSON",
        arguments: [
            "", "x", "1", "[]", "null", #"{"a":1"#, #"{"a":1}x"#, #"{"a":1,"a":2}"#,
            #"{"__proto__":{}}"#, #"{"a":[{"b":{"__proto__":1}}]}"#, #"{"\u005f_proto__":1}"#,
            String(repeating: #"{"a":"#, count: 33) + "1" + String(repeating: "}", count: 33),
        ]
    )
    func json(plaintext: String) throws {
        let seal = try IronForge.seal { $0.plaintext = plaintext }
        #expect(throws: IronError.json) { try iron().open(seal, at: now) }
    }

    @Test("IRON-J-2: names of constructors are names like others")
    func names() throws {
        let seal = try IronForge.seal { $0.plaintext = #"{"constructor":1,"__proto":2}"# }
        #expect(try iron().open(seal, at: now).object == ["constructor": 1, "__proto": 2])
    }

    @Test("IRON-S-16, attack F08: more than 8,192 bytes are refused before they are looked at")
    func tooLong() throws {
        for text in [
            String(repeating: "a", count: 1 << 20), String(repeating: "*", count: 10_000),
            String(repeating: "*", count: 8_193),
        ] {
            #expect(throws: IronError.tooLong) { try iron().open(text, at: now) }
        }
        // Ours are never longer than what opens.
        let filler = JSONValue.string(String(repeating: "x", count: 5_900))
        let long = try iron().seal(["x": filler], lifetime: 1, at: now, random: .system)
        #expect(long.utf8.count > 8_000)
        #expect(try iron().open(long, at: now).object == ["x": filler])
        #expect(throws: IronError.tooLong) {
            try iron().seal(["x": filler, "y": filler], lifetime: 1, at: now, random: .system)
        }
    }
}
