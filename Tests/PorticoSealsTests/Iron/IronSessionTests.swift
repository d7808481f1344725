import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoSeals

@Suite("Seals of iron-session")
struct IronSessionTests {
    private let now = IronForge.now
    private let object: JSONObject = ["user": ["id": 77]]

    private func session(_ ids: [String] = ["1"]) throws -> IronSession {
        IronSession(try IronForge.passwords(ids))
    }

    @Test("IRON-S-1, IRON-S-4: a cookie is a seal and ~2, and its seconds become milliseconds")
    func seal() throws {
        let cookie = try session().seal(object, seconds: 1_209_600, at: now, random: .system)
        #expect(cookie.hasSuffix("~2"))
        #expect(cookie.wholeMatch(of: /[A-Za-z0-9\-_*.~]+/) != nil)
        let opened = try session().open(cookie, at: now)
        #expect(opened.object == object)
        #expect(opened.expiresAt == now + 1_209_600_000)
        let forever = try session().seal(object, seconds: 0, at: now, random: .system)
        #expect(try session().open(forever, at: now).expiresAt == nil)
        #expect(throws: IronError.expiration) {
            try session().seal(object, seconds: .max, at: now, random: .system)
        }
    }

    @Test("IRON-S-2: version 2 is the object itself, anything else its member `persistent`")
    func versions() throws {
        let plain = try IronForge.seal { $0.plaintext = #"{"user":{"id":77}}"# }
        let wrapped = try IronForge.seal {
            $0.plaintext = #"{"persistent":{"user":{"id":77}},"flash":{"x":1}}"#
        }
        #expect(try session().open("\(plain)~2", at: now).object == object)
        #expect(try session().open("\(wrapped)~2", at: now).object.count == 2)
        for ending in ["", "~", "~1", "~3", "~02", "~22", "~2~2", "~x"] {
            #expect(try session().open(wrapped + ending, at: now).object == object, "\(ending)")
            #expect(try session().open(plain + ending, at: now).object == [:], "\(ending)")
        }
        let odd = try IronForge.seal { $0.plaintext = #"{"persistent":[1]}"# }
        #expect(try session().open(odd, at: now).object == [:])
    }

    @Test("a cookie opens percent-encoded, too, but not twice so")
    func encoded() throws {
        let seal = try IronForge.seal { $0.plaintext = #"{"user":{"id":77}}"# } + "~2"
        let stars = seal.replacingOccurrences(of: "*", with: "%2A")
        let all = seal.utf8.map { "%\(Hexadecimal.text([$0]))" }.joined()
        for text in [seal, stars, stars.replacingOccurrences(of: "~", with: "%7e"), all] {
            #expect(try session().open(text, at: now).object == object)
        }
        let twice = stars.replacingOccurrences(of: "%", with: "%25")
        for text in [twice, seal + "%", seal + "%4", "%zz", "%00", "\u{E9}", ""] {
            #expect(throws: (any Error).self, "\(text.suffix(5))") {
                try session().open(text, at: now)
            }
        }
    }

    @Test("IRON-S-5, IRON-S-6: iron-session makes one of four errors, which we tell apart")
    func errors() throws {
        let expired = try IronForge.seal { $0.expiration = "1" }
        let changed = try IronForge.seal { $0.code = "x" }
        let unknown = try IronForge.seal { $0.id = "2" }
        for (cookie, error) in [
            (expired, .expired), (changed, .mac), (unknown, .password), ("x", .components),
            ("", .components),
        ] as [(String, IronError)] {
            #expect(throws: error) { try session().open("\(cookie)~2", at: now) }
            #expect(try session().compatible("\(cookie)~2", at: now) == [:])
        }
        for (cookie, error) in [
            (try IronForge.seal { $0.prefix = "Fe27.2" }, .prefix),
            (try IronForge.seal { $0.expiration = "x" }, .expiration),
            (try IronForge.seal { $0.plaintext = "x" }, .json),
            (String(repeating: "*", count: 10_000), .tooLong),
        ] as [(String, IronError)] {
            #expect(throws: error) { try session().compatible("\(cookie)~2", at: now) }
        }
        let right = try session().seal(object, seconds: 1, at: now, random: .system)
        #expect(try session().compatible(right, at: now) == object)
    }

    @Test("IRON-S-16: a cookie of a megabyte is refused before it is decoded")
    func long() throws {
        for text in ["a", "%", "~", "%41"].map({ String(repeating: $0, count: 1 << 20) }) {
            #expect(throws: IronError.tooLong) { try session().open(text, at: now) }
        }
    }
}

/// What others make and open: Node's own cryptography, in Tests/Peers/iron.mjs.
@Suite("Seals of Iron by Node", .enabled(if: node != nil, "needs node"))
struct IronPeerTests {
    private let now = IronForge.now

    private func run(_ arguments: String...) throws -> (text: String, status: Int32) {
        let checkout = try #require(#filePath.split(separator: "/Tests/").first)
        let process = Process()
        process.executableURL = URL(filePath: try #require(node))
        process.arguments = ["\(checkout)/Tests/Peers/iron.mjs"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        return (text.trimmingCharacters(in: .whitespacesAndNewlines), process.terminationStatus)
    }

    @Test("IRON-J-3: what Node seals opens here")
    func opens() throws {
        let object = #"{"name":"Zo\#u{EB} \#u{1F510}","n":[1,null,true,1.5,"q\"\\/"]}"#
        let seal = try run("seal", IronForge.password, "1", "60000", "\(now)", object).text
        let opened = try Iron(IronForge.passwords()).open(seal, at: now)
        #expect(try opened.object == JSONObject(parsing: object.utf8))
        #expect(opened.expiresAt == now + 60_000)
        let key = "hex:" + Hexadecimal.text(Array(1...32) as [UInt8])
        let keyed = try run("seal", key, "", "0", "\(now)", #"{"a":1}"#).text
        let iron = Iron(try IronPasswords([("", .key(Array(1...32)))]))
        #expect(try iron.open(keyed, at: now).object == ["a": 1])
    }

    @Test("IRON-J-3, IRON-E-1: what is sealed here opens in Node, until it has expired")
    func isOpened() throws {
        let object: JSONObject = ["name": "Zo\u{EB} \u{1F510}", "n": [1, .null, true, 1.5]]
        let seal = try Iron(IronForge.passwords())
            .seal(object, lifetime: 60_000, at: now, random: .system)
        let opened = try run("open", IronForge.password, "\(now + 119_999)", seal)
        #expect(opened.status == 0)
        #expect(try JSONObject(parsing: opened.text.utf8) == object)
        let late = try run("open", IronForge.password, "\(now + 120_000)", seal)
        #expect(late.text == "Expired seal")
        #expect(late.status == 1)
        let other = String(repeating: "x", count: 32)
        #expect(try run("open", other, "\(now)", seal).text == "Bad hmac value")
    }
}

private let node = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}
