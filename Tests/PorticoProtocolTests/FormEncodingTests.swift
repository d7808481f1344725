import PorticoProtocol
import Testing

@Suite("Form encoding")
struct FormEncodingTests {
    private func encoded(
        _ text: String,
        by append: (String.UTF8View, inout [UInt8]) -> Void
    ) -> String {
        var output: [UInt8] = []
        append(text.utf8, &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("WHATWG URL §5.2: as browsers encode, a star stays and a tilde does not")
    func browsers() {
        let seal = "Fe26.2*1*aZ-_*18~2"
        #expect(encoded(seal, by: FormEncoding.appendAsBrowsers) == "Fe26.2*1*aZ-_*18%7E2")
        #expect(
            encoded("did:plc:x y+z/\u{E9}", by: FormEncoding.appendAsBrowsers)
                == "did%3Aplc%3Ax+y%2Bz%2F%C3%A9"
        )
        // The reverse of RFC 3986.
        #expect(encoded("*~ ", by: FormEncoding.appendPercentEncoded) == "%2A~%20")
        #expect(encoded("*~ ", by: FormEncoding.append) == "%2A~+")
    }

    @Test("WHATWG URL §5.2: what browsers encode is decoded here")
    func roundTrip() {
        let text = (1...0x7F).map { String(UnicodeScalar(UInt8($0))) }.joined() + "\u{1F510}"
        #expect(FormEncoding.decode(encoded(text, by: FormEncoding.appendAsBrowsers).utf8) == text)
    }
}
