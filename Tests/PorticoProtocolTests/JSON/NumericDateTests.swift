import Foundation
import PorticoProtocol
import Testing

@Suite("NumericDate")
struct NumericDateTests {
    @Test(
        "RFC 7519 §2: seconds since 1970 are read, with and without a fraction",
        arguments: [
            ("0", 0), ("1700000000", 1_700_000_000), ("1700000000.9", 1_700_000_000.9),
            ("1.7e9", 1_700_000_000), ("253402300799", 253_402_300_799),
        ]
    )
    func reads(text: String, seconds: Double) throws {
        let value = try JSONValue(parsing: text.utf8)
        #expect(NumericDate.date(value) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "RFC 7519 §4.1, attack D10: what is no moment is refused without a trap",
        arguments: [
            "9223372036854775808", "9223372036854775807", "-9223372036854775808", "-1", "-0.5",
            "253402300800", "1e308", "-1e308", "null", "\"1700000000\"", "true", "[1700000000]",
            "{}", "\"\"",
        ]
    )
    func refuses(text: String) throws {
        let value = try JSONValue(parsing: text.utf8)
        #expect(NumericDate.date(value) == nil)
    }

    @Test("RFC 7519 §4.1: not-a-number and infinity are no moment either")
    func refusesNonFinite() {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(NumericDate.date(.number(number)) == nil)
        }
    }

    @Test("A moment is written in whole seconds and never traps")
    func writes() {
        #expect(NumericDate.value(Date(timeIntervalSince1970: 1_700_000_000.9)) == 1_700_000_000)
        #expect(NumericDate.value(.distantPast) == 0)
        for seconds in [1e300, .infinity] {
            let value = NumericDate.value(Date(timeIntervalSince1970: seconds))
            #expect(NumericDate.date(value) != nil)
        }
        #expect(NumericDate.value(Date(timeIntervalSince1970: .nan)) == 0)
    }
}
