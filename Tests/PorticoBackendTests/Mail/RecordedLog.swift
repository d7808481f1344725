import Foundation
import Logging
import PorticoBytes
import PorticoWeb

/// What was logged, as a server writes it.
final class RecordedLog: Sendable {
    let logger: Logger
    private let writer: LogWriter
    private let written = Locked<[UInt8]>([])

    init() {
        let written = written
        let noon = Date(timeIntervalSince1970: 1_800_000_000)
        let writer = LogWriter(format: .logfmt, clock: { noon }) { bytes in
            written.withLock { $0 += bytes }
        }
        self.writer = writer
        logger = Logger(label: "test") { label in
            LineLogHandler(
                label: label,
                level: .trace,
                format: .logfmt,
                writer: writer,
                clock: { noon }
            )
        }
    }

    var text: String {
        writer.flush()
        return String(decoding: written.withLock { $0 }, as: UTF8.self)
    }
}
