import Foundation
import PorticoProtocol
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test(
        "RFC 8259 §7: what must be escaped is escaped, and nothing else",
        arguments: [
            ("", #""""#),
            ("plain", #""plain""#),
            ("\"\\/", #""\"\\/""#),
            ("a\nb\rc\td", #""a\nb\rc\td""#),
            ("\u{0}\u{8}\u{1F}\u{7F}", "\"\\u0000\\u0008\\u001f\u{7F}\""),
            ("é€𝄞\u{2028}", "\"é€𝄞\u{2028}\""),
        ]
    )
    func strings(text: String, json: String) {
        #expect(String(decoding: JSONValue.string(text).serialized(), as: UTF8.self) == json)
    }

    @Test(
        "RFC 8259 §6: numbers are written as JSON has them",
        arguments: [
            (0, "0"), (-1, "-1"), (1234567890, "1234567890"),
            (.integer(.max), "9223372036854775807"),
            (.integer(.min), "-9223372036854775808"), (1.5, "1.5"), (-0.25, "-0.25"), (2.0, "2.0"),
            (1e100, "1e+100"), (.number(.leastNonzeroMagnitude), "5e-324"),
            (.number(.infinity), "null"),
            (.number(.nan), "null"),
        ] as [(JSONValue, String)]
    )
    func numbers(value: JSONValue, json: String) {
        #expect(String(decoding: value.serialized(), as: UTF8.self) == json)
    }

    @Test("Foundation reads what is written as the same value")
    func oracle() throws {
        let value: JSONValue = [
            "text": "é\"\\\n\u{1}𝄞/", "list": [1, -2.5, true, .null, [:], []], "": ["a": "b"],
        ]
        let read = try JSONSerialization.jsonObject(with: Data(value.serialized())) as? NSDictionary
        let expected: NSDictionary = [
            "text": "é\"\\\n\u{1}𝄞/",
            "list": [1, -2.5, true, NSNull(), NSDictionary(), NSArray()] as [Any],
            "": ["a": "b"],
        ]
        #expect(read == expected)
    }
}
