import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoSeals

/// Vectors of other implementations, in a folder outside the repository:
/// `TEST_IRON_FIXTURES=FOLDER swift test --filter IronVectorTests`. Other tests have seals of their
/// own for the same rules.
private let fixtures = ProcessInfo.processInfo.environment["TEST_IRON_FIXTURES"]

@Suite(
    "Seals of Iron by others",
    .enabled(if: fixtures != nil, "vectors from outside, to be looked at by hand")
)
struct IronVectorTests {
    private func passwords(_ value: JSONValue, isSession: Bool) throws -> IronPasswords {
        func one(_ text: String) throws -> IronPasswords.Password {
            guard let digits = text.dropping("hex:") else { return .text(SecretText(text)) }
            return .key(try #require(Hexadecimal.bytes(digits.utf8)))
        }
        if let text = value.string {
            return try IronPasswords([(isSession ? "1" : "", one(text))])
        }
        return try IronPasswords(
            #require(value.object).map { ($0.name, try one(try #require($0.value.string))) }
        )
    }

    @Test("attack F01: each vector opens, or is refused as it says")
    func vectors() throws {
        let url = URL(filePath: try #require(fixtures)).appending(path: "iron_vectors.json")
        let file = try JSONObject(parsing: Array(try Data(contentsOf: url)))
        let vectors = try #require(file.array("public")) + (try #require(file.array("computed")))
        var count = 0
        for vector in vectors.compactMap(\.object) {
            // Another cipher, which is not supported (IRON-E-2).
            if vector["alg"] != nil { continue }
            let id = try #require(vector.string("id"))
            let isSession = vector.string("wrapper") == "iron-session"
            let passwords = try passwords(
                try #require(vector["password"]),
                isSession: isSession
            )
            let seal = try #require(vector.string("seal"))
            let now = vector.int64("now_ms") ?? IronForge.now
            let found = Result {
                isSession
                    ? try IronSession(passwords).compatible(seal, at: now)
                    : try Iron(passwords).open(seal, at: now).object
            }
            count += 1
            if let words = vector.string("error") {
                #expect(throws: (any Error).self, "\(id)") { try found.get() }
                guard case .failure(let error) = found else { continue }
                #expect("\(error)" == words, "\(id)")
            } else {
                #expect(try found.get() == vector.object("expect"), "\(id)")
            }
        }
        #expect(count > 20)
    }
}
