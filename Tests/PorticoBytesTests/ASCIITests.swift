import PorticoBytes
import Testing

@Suite("Characters of ASCII")
struct ASCIITests {
    private func members(_ isMember: (UInt8) -> Bool) -> String {
        String(decoding: (UInt8.min...UInt8.max).filter(isMember), as: UTF8.self)
    }

    @Test("each class has its characters and no byte of another character")
    func classes() {
        let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let small = capitals.lowercased()
        #expect(members { $0.isDigit } == "0123456789")
        #expect(members { $0.isLetter } == capitals + small)
        #expect(members { $0.isLowercaseLetter } == small)
        #expect(members { $0.isLetterOrDigit } == "0123456789" + capitals + small)
        #expect(members { $0.isUnreserved } == "-.0123456789\(capitals)_\(small)~")
        #expect(members { $0.isVisible }.utf8.elementsEqual(0x21...0x7E))
        #expect(members { $0.isVisible && !$0.isURICharacter } == #""<>\^`{|}"#)
        #expect(members { $0.isURICharacter && !$0.isVisible }.isEmpty)
        #expect(members { $0.isBlank } == "\t ")
        #expect(members { $0.hexDigitValue != nil } == "0123456789ABCDEFabcdef")
        #expect(members { $0.lowercased != $0 } == capitals)
        #expect(capitals.utf8.map(\.lowercased) == Array(small.utf8))
        #expect("09afAF".utf8.map(\.hexDigitValue) == [0, 9, 10, 15, 10, 15])
    }

    @Test(
        "a number is digits alone, and one that does not fit is none",
        arguments: [
            ("0", 0), ("007", 7), ("255", 255), ("256", nil), ("", nil), ("+1", nil), ("-1", nil),
            (" 1", nil), ("1 ", nil), ("1.0", nil), ("\u{661}", nil), ("0000", nil),
            ("99999999999999999999", nil),
        ] as [(String, UInt8?)]
    )
    func numbers(text: String, number: UInt8?) {
        #expect(UInt8(digits: text.utf8, atMost: 3) == number)
    }

    @Test("eighteen digits are a number, and nineteen are none")
    func long() {
        let nines = String(repeating: "9", count: 18)
        #expect(Int64(digits: nines.utf8) == 999_999_999_999_999_999)
        #expect(Int64(digits: (nines + "9").utf8) == nil)
        #expect(Int32(digits: nines.utf8) == nil)
    }

    @Test(
        "blanks and tabs go from both ends, and nothing else",
        arguments: [
            ("", ""), (" ", ""), ("a", "a"), (" \ta b\t ", "a b"), ("a ", "a"), ("\na", "\na"),
            ("\u{A0}a", "\u{A0}a"), (" é ", "é"),
        ]
    )
    func trimming(text: String, trimmed: String) {
        #expect(text.trimmingBlanks == trimmed)
        #expect(Array(Array(text.utf8).trimming { $0.isBlank }) == Array(trimmed.utf8))
    }

    @Test("a prefix is taken off byte by byte")
    func dropping() {
        #expect("/realms/demo".dropping("/realms/") == "demo")
        #expect("/realms/".dropping("/realms/") == "")
        #expect("/realm".dropping("/realms/") == nil)
        #expect("e\u{301}x".dropping("é") == nil)
    }
}
