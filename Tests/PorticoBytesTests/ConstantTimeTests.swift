import PorticoBytes
import Testing

@Suite("Comparisons")
struct ConstantTimeTests {
    @Test(
        "Equal bytes are equal, one different bit anywhere is not",
        arguments: [0, 1, 15, 16, 31]
    )
    func bytes(index: Int) {
        let secret = [UInt8](repeating: 0xA5, count: 32)
        var other = secret
        #expect(ConstantTime.equal(secret, other))
        for bit in 0..<8 {
            other[index] = secret[index] ^ (1 << bit)
            #expect(!ConstantTime.equal(secret, other))
        }
    }

    @Test("Different lengths are different, whichever is longer")
    func lengths() {
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1, 2, 3]))
        #expect(!ConstantTime.equal([], [0]))
        #expect(ConstantTime.equal([UInt8](), [UInt8]()))
    }

    @Test("Two differences do not cancel each other")
    func noCancelling() {
        #expect(!ConstantTime.equal([1, 2], [2, 1]))
        #expect(!ConstantTime.equal([1, 1], [0, 0]))
    }

    @Test("Texts are compared as bytes: canonically equivalent spellings differ")
    func texts() {
        #expect("\u{E9}" == "e\u{301}", "Swift calls them equal")
        #expect(!ConstantTime.equal("\u{E9}", "e\u{301}"))
        #expect(!sameBytes("\u{E9}", "e\u{301}"))
        #expect(!sameBytes("a\u{301}\u{323}", "a\u{323}\u{301}"))
        #expect(sameBytes("é", "é"))
        #expect(ConstantTime.equal("secret", "secret"))
        #expect(!sameBytes("web1", "web1 "))
    }
}
