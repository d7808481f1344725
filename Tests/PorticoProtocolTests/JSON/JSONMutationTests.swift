import PorticoProtocol
import Testing

@Suite("JSON under random damage")
struct JSONMutationTests {
    private static let seeds = [
        #"{"alg":"ES256","kid":"k1","typ":"at+jwt"}"#,
        #"{"iss":"https://op.example.com","aud":["a","b"],"exp":1700000000.5,"x":{"y":[null,true]}}"#,
        #"["\u00e9\uD834\uDD1E\n", "é€𝄞", -1.5e-7, 9223372036854775807, {}]"#,
    ]

    @Test("Whatever is read is written so that it is read again as the same", arguments: 0..<4)
    func survives(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var read = 0
        for round in 0..<5000 {
            var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damage(&bytes, using: &random)
            }
            // A refusal is as good as a value here: the point is that neither is a trap.
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            read += 1
            #expect(try JSONValue(parsing: value.serialized()) == value)
        }
        #expect(read > 100, "some of the damaged texts must still be JSON")
    }

    @Test("Random values survive writing and reading, member order included", arguments: 0..<4)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let value = randomValue(depth: 4, using: &random)
            let text = value.serialized()
            let again = try JSONValue(parsing: text)
            #expect(again == value)
            #expect(again.hashValue == value.hashValue)
            #expect(again.serialized() == text)
        }
    }

    private func damage(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2:
            bytes.insert(Array(#"{}[],:"\0e-."#.utf8).randomElement(using: &random) ?? 0, at: index)
        case 3: bytes.removeSubrange(index...)
        default: bytes.insert(contentsOf: bytes[index...], at: index)
        }
    }

    private func randomValue(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: .min ... .max, using: &random))
        case 3: return .number(Double(bitPattern: random.next() & 0xBFFF_FFFF_FFFF_FFFF))
        case 4: return .string(randomText(using: &random))
        case 5:
            return .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    randomValue(depth: depth - 1, using: &random)
                }
            )
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                object[randomText(using: &random)] = randomValue(depth: 0, using: &random)
            }
            return .object(object)
        }
    }

    private func randomText(using random: inout SeededGenerator) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\n", "\u{1}", "é", "\u{301}", "€", "𝄞",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
            text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
        }
        return text
    }
}
