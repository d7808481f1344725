package import Logging
import PorticoBytes
package import PorticoWeb

/// A log that a test can read.
package struct WrittenLog: Sendable {
    package let access: AccessLog
    package let logger: Logger
    private let writer: LogWriter
    private let bytes: Locked<[UInt8]>

    package init(_ clock: StoppedClock) {
        let bytes = Locked<[UInt8]>([])
        let writer = LogWriter(format: .logfmt, clock: { clock.now }) { line in
            bytes.withLock { $0.append(contentsOf: line) }
        }
        self.bytes = bytes
        self.writer = writer
        access = AccessLog(format: .logfmt, writer: writer)
        logger = Logger(label: "test") { label in
            LineLogHandler(
                label: label,
                level: .info,
                format: .logfmt,
                writer: writer,
                clock: { clock.now }
            )
        }
    }

    package var text: String {
        writer.flush()
        return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
    }
}
