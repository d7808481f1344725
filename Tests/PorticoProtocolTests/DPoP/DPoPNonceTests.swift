import Crypto
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Nonces of a server")
struct DPoPNoncesTests {
    private let key = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
    /// The first second of a minute.
    private static let start: Int64 = 1_800_000_000

    @Test(
        "RFC9449-8-4: a nonce is good for the rest of its minute and two more",
        arguments: [0, 1, 59]
    )
    func life(second: Int64) throws {
        let nonces = DPoPNonces(keys: [key])
        let given = Self.start + second
        let nonce = try #require(nonces.current(at: given))
        for offset in [second, 59, 60, 119, 120, 179] as [Int64] {
            #expect(nonces.isGood(nonce, at: Self.start + offset), "\(offset)")
        }
        for offset in [180, 240, 100_000] as [Int64] {
            #expect(!nonces.isGood(nonce, at: Self.start + offset), "\(offset)")
        }
        // A clock that was set back: not before it was given out.
        #expect(!nonces.isGood(nonce, at: Self.start - 1))
    }

    @Test("RFC9449-8-2: a nonce is a code of the minute, which no one can make without the key")
    func unpredictable() throws {
        let nonces = DPoPNonces(keys: [key])
        let nonce = try #require(nonces.current(at: Self.start))
        let minute = Self.start / 60 + 1
        let code = HMAC<SHA256>.authenticationCode(for: minute.bigEndianBytes, using: key)
        #expect(nonce == Base64URL.encode(code))
        #expect(nonce.utf8.count == 43)
        #expect(nonces.current(at: Self.start + 59) == nonce)
        #expect(nonces.current(at: Self.start + 60) != nonce)
        let other = DPoPNonces(keys: [SymmetricKey(data: [UInt8](repeating: 2, count: 32))])
        #expect(!other.isGood(nonce, at: Self.start))
        for wrong in ["", "abc", nonce + "A", String(nonce.dropLast()), nonce.lowercased()] {
            #expect(!nonces.isGood(wrong, at: Self.start), "\(wrong)")
        }
    }

    @Test("another node has the same nonces; after a rotation those of the key before are good")
    func rotation() throws {
        let new = SymmetricKey(data: [UInt8](repeating: 2, count: 32))
        let nonce = try #require(DPoPNonces(keys: [key]).current(at: Self.start))
        #expect(DPoPNonces(keys: [key]).isGood(nonce, at: Self.start))
        let rotated = DPoPNonces(keys: [new, key])
        #expect(rotated.isGood(nonce, at: Self.start))
        #expect(rotated.current(at: Self.start) == DPoPNonces(keys: [new]).current(at: Self.start))
        #expect(DPoPNonces(keys: []).current(at: Self.start) == nil)
        #expect(!DPoPNonces(keys: []).isGood(nonce, at: Self.start))
    }
}

@Suite("Nonces that a client was given")
struct DPoPNonceMemoryTests {
    private let memory = DPoPNonceMemory()

    private func address(_ text: String) throws -> HTTPAddress {
        try #require(HTTPAddress(text))
    }

    private func reply(_ nonces: String..., status: Int = 200) throws -> HTTPReply {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        var response = HTTPResponse(status: .init(code: status))
        for nonce in nonces {
            response.headerFields.append(HTTPField(name: name, value: nonce))
        }
        return HTTPReply(response: response, body: [])
    }

    @Test("RFC9449-8.2-1: a nonce in any answer replaces the one before")
    func newest() throws {
        let server = try address("https://op.example.com/token")
        #expect(memory.nonce(for: server, at: 0) == nil)
        for (status, nonce) in [(400, "a"), (200, "b"), (401, "c"), (503, "d")] {
            #expect(try memory.note(reply(nonce, status: status), from: server, at: 10) == nonce)
            #expect(memory.nonce(for: server, at: 10) == nonce)
        }
        #expect(try memory.note(reply(), from: server, at: 20) == nil)
        #expect(memory.nonce(for: server, at: 20) == "d")
    }

    @Test("RFC9449-9-2: nonces are kept by origin: scheme, host and port")
    func origins() throws {
        let server = try address("https://op.example.com/token")
        try memory.note(reply("a"), from: server, at: 0)
        for same in ["https://op.example.com:443/par?x", "HTTPS://OP.EXAMPLE.COM"] {
            #expect(try memory.nonce(for: address(same), at: 0) == "a")
        }
        for other in [
            "http://op.example.com/token", "https://op.example.com:444/token",
            "https://api.op.example.com/token",
        ] {
            #expect(try memory.nonce(for: address(other), at: 0) == nil)
        }
    }

    @Test("RFC9449-8-1: two fields, or a value that is no nonce, are not kept")
    func refused() throws {
        let server = try address("https://op.example.com/token")
        try memory.note(reply("a"), from: server, at: 0)
        for wrong in [
            "", "a b", "a\"b", #"a\b"#, "\u{E9}", String(repeating: "n", count: 513),
        ] {
            #expect(try memory.note(reply(wrong), from: server, at: 0) == nil, "\(wrong)")
        }
        #expect(try memory.note(reply("b", "b"), from: server, at: 0) == nil)
        #expect(memory.nonce(for: server, at: 0) == "a")
        let longest = String(repeating: "n", count: 512)
        #expect(try memory.note(reply(longest), from: server, at: 0) == longest)
    }

    @Test("a nonce can be asked for by its age")
    func age() throws {
        let server = try address("https://op.example.com/token")
        try memory.note(reply("a"), from: server, at: 100)
        #expect(memory.nonce(for: server, notOlderThan: 60, at: 160) == "a")
        #expect(memory.nonce(for: server, notOlderThan: 60, at: 161) == nil)
    }

    @Test("of 1,024 origins the one that was heard of least lately is forgotten for another")
    func bounded() throws {
        func server(_ number: Int) throws -> HTTPAddress {
            try address("https://h\(number).example.com/")
        }
        for number in 0..<1_024 {
            try memory.note(reply("n\(number)"), from: server(number), at: Int64(number))
        }
        // One that is known takes the place of no other.
        try memory.note(reply("middle"), from: server(512), at: 1_999)
        #expect(try memory.nonce(for: server(512), at: 1_999) == "middle")
        #expect(try memory.nonce(for: server(0), at: 1_999) == "n0")
        try memory.note(reply("again"), from: server(0), at: 2_000)
        try memory.note(reply("new"), from: server(1_024), at: 2_001)
        #expect(try memory.nonce(for: server(0), at: 2_001) == "again")
        #expect(try memory.nonce(for: server(1), at: 2_001) == nil)
        #expect(try memory.nonce(for: server(2), at: 2_001) == "n2")
        #expect(try memory.nonce(for: server(1_024), at: 2_001) == "new")
    }
}
