import Foundation
import HTTPTypes
import Logging
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoWeb

private let noon = Date(timeIntervalSince1970: 1_769_860_800.123)

@Suite("Logs")
struct LogTests {
    private func line(_ format: LogFormat, _ value: String) -> String {
        var line = LogLine(format, at: noon, level: "info", message: "request")
        line.add("agent", value)
        return String(decoding: line.finished(), as: UTF8.self)
    }

    @Test("A line has time, level and message first")
    func form() {
        #expect(
            line(.logfmt, "curl/8")
                == "time=2026-01-31T12:00:00.123Z level=info message=request agent=curl/8\n"
        )
        #expect(
            line(.json, "curl/8")
                == #"{"time":"2026-01-31T12:00:00.123Z","level":"info","message":"request","agent":"curl/8"}"#
                + "\n"
        )
    }

    @Test(
        "Attack H14, WEB-LOG-2: no value begins a line, colours a terminal or turns the text around",
        arguments: [
            "a\r\nFAKE login ok", "a\nlevel=error", "\u{1B}[31mred\u{1B}[0m", "\u{9B}31m", "a\0b",
            "\u{202E}txt.exe", "\u{2066}x\u{2069}", "a\u{2028}b", "\u{7F}", "\u{8}\u{8}\u{8}",
            "a\u{85}b", "\u{E0041}", "\u{FEFF}x", "\" level=error x=\"", "a\\", "\u{200B}",
        ]
    )
    func escaped(value: String) throws {
        for format in LogFormat.allCases {
            let line = line(format, value)
            #expect(line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
            #expect(line.hasSuffix("\n"))
            for scalar in line.unicodeScalars.dropLast() {
                #expect(scalar.properties.generalCategory != .control)
                #expect(scalar.properties.generalCategory != .format)
                #expect(scalar.value != 0x2028)
            }
        }
        // What was said can be read again; our own reader takes no NUL.
        guard !value.unicodeScalars.contains("\0") else { return }
        let object = try JSONValue(parsing: Array(line(.json, value).dropLast().utf8)).object
        #expect(object?["agent"]?.string == value)
    }

    @Test("Words of other languages stay readable, empty values are seen, long ones are cut")
    func values() {
        #expect(line(.logfmt, "Jürgen 李").hasSuffix("agent=\"Jürgen 李\"\n"))
        #expect(line(.logfmt, "").hasSuffix("agent=\"\"\n"))
        let long = line(.logfmt, String(repeating: "é", count: 10_000))
        #expect(long.utf8.count < 700)
        #expect(long.hasSuffix("…\"\n"))
    }

    @Test(
        "RFC 3339 §5.6: days, leap days and clocks beyond reason",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399.999, "2000-02-28T23:59:59.999Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (1_709_251_199, "2024-02-29T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"), (-1, "1970-01-01T00:00:00.000Z"),
            (.nan, "1970-01-01T00:00:00.000Z"), (.infinity, "9999-12-31T23:59:59.999Z"),
        ] as [(Double, String)]
    )
    func timestamps(time: Double, expected: String) {
        var bytes: [UInt8] = []
        Timestamp.append(Date(timeIntervalSince1970: time), to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("WEB-LOG-1: a request's line says who, what and how it ended, and nothing else")
    func access() throws {
        let written = Locked<[UInt8]>([])
        let writer = LogWriter(format: .logfmt, clock: { noon }) { bytes in
            written.withLock { $0 += bytes }
        }
        let target = try #require(RequestTarget("/realms/demo/auth?code=SECRET"))
        var entry = AccessLog.Entry(
            id: RequestID(random: RandomSource { [UInt8](repeating: 0, count: $0) }),
            method: .get,
            path: target.path,
            status: .badRequest,
            address: IPAddress("192.0.2.1")
        )
        entry.clientID = "web1\nx"
        entry.error = "invalid_grant"
        let log = AccessLog(format: .logfmt, writer: writer)
        log.record(entry, at: noon, took: .microseconds(1234))
        log.record(.targetTooLong, at: noon)
        writer.flush()
        let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
        #expect(
            text == """
                time=2026-01-31T12:00:00.123Z level=info message=request id=0000000000 method=GET \
                path=/realms/demo/auth status=400 us=1234 address=192.0.2.1 client="web1\\nx" \
                error=invalid_grant
                time=2026-01-31T12:00:00.123Z level=info message="request refused" status=414 \
                reason=targetTooLong

                """
        )
    }

    @Test("A library's lines are lines of the same log, their metadata escaped")
    func library() {
        let written = Locked<[UInt8]>([])
        let writer = LogWriter(format: .logfmt, clock: { noon }) { bytes in
            written.withLock { $0 += bytes }
        }
        var logger = Logger(label: "nio") { label in
            LineLogHandler(
                label: label,
                level: .info,
                format: .logfmt,
                writer: writer,
                clock: { noon }
            )
        }
        logger[metadataKey: "b"] = "2"
        logger.debug("not this")
        logger.error("went\nwrong", metadata: ["a": "x y", "b d": "3"])
        writer.flush()
        #expect(
            String(decoding: written.withLock { $0 }, as: UTF8.self)
                == "time=2026-01-31T12:00:00.123Z level=error message=\"went\\nwrong\" logger=nio "
                + "a=\"x y\" b=2 b_d=3\n"
        )
    }

    @Test("If the log is not read, lines are dropped and counted, and no caller waits")
    func bounded() {
        let written = Locked<[UInt8]>([])
        let writer = LogWriter(format: .logfmt, clock: { noon }, capacity: 1000) { bytes in
            written.withLock { $0 += bytes }
        }
        for _ in 0..<100 { writer.append([UInt8](repeating: UInt8(ascii: "x"), count: 100)) }
        writer.flush()
        writer.append(Array("after\n".utf8))
        writer.flush()
        let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
        #expect(text.hasPrefix(String(repeating: "x", count: 1000)))
        let lost = (10_000 - text.utf8.count { $0 == UInt8(ascii: "x") }) / 100
        #expect(text.contains("message=\"lines dropped\" count=\(lost)\n"))
        #expect(text.hasSuffix("after\n"))
    }

    @Test("If the log is no longer read, the program still ends")
    func stuck() async {
        let (reader, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writer = LogWriter(format: .logfmt, clock: { noon }) { _ in reader.wait() }
        writer.append(Array("line\n".utf8))
        Thread.detachNewThread {
            writer.flush()
            ended.signal()
        }
        let outcome = await RawExchange.run { ended.wait(timeout: .now() + 30) }
        #expect(outcome == .success)
        // A caller that still writes is released.
        for _ in 0..<4 { reader.signal() }
    }

    @Test("A request's id is ten characters that cannot be misread, all different")
    func requestIDs() {
        let ids = (0..<1000).map { _ in RequestID(random: .system).text }
        #expect(Set(ids).count == 1000)
        let alphabet = Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        #expect(ids.allSatisfy { $0.count == 10 && Set($0).isSubset(of: alphabet) })
        #expect(Set(ids.joined()).count == 32)
    }
}
