import Foundation
import PorticoBytes
import PorticoTestSupport

/// A mail server that says what a test wants, one connection at a time.
final class ScriptedSMTP: Sendable {
    let port: UInt16
    private let listener: Int32
    private let received = Locked<[String]>([])

    /// - Parameter replies: By the first word of a command, `greeting` and `text`; empty: no reply at
    ///   all, and the connection stays open. What is not named is answered as it should be.
    init?(_ replies: [String: String] = [:]) {
        guard let (listener, port) = RawSocket.listen(port: 0) else { return nil }
        (self.listener, self.port) = (listener, port)
        let received = received
        Thread.detachNewThread {
            while let connection = RawSocket.accept(listener) {
                Self.serve(connection, replies, received)
                RawSocket.close(connection)
            }
            RawSocket.close(listener)
        }
    }

    deinit {
        RawSocket.shutDown(listener)
    }

    /// Commands and lines of text, without their ends.
    var lines: [String] { received.withLock { $0 } }

    private static let good = [
        "greeting": "220 test ESMTP", "EHLO": "250-test\r\n250 SIZE 100000", "HELO": "250 test",
        "MAIL": "250 OK", "RCPT": "250 OK", "DATA": "354 go on", "text": "250 2.0.0 taken",
        "QUIT": "221 bye",
    ]

    private static func serve(
        _ connection: Int32,
        _ replies: [String: String],
        _ received: Locked<[String]>
    ) {
        let replies = good.merging(replies) { $1 }
        func reply(_ word: String) {
            let text = replies[word] ?? "502 what?"
            if !text.isEmpty { RawSocket.send(connection, Array((text + "\r\n").utf8)) }
        }
        reply("greeting")
        var pending: [UInt8] = []
        var isText = false
        while let bytes = RawSocket.receive(connection), !bytes.isEmpty {
            pending += bytes
            while let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                    .trimmingCharacters(in: .newlines)
                pending.removeFirst(end + 1)
                received.withLock { $0.append(line) }
                if isText {
                    guard line == "." else { continue }
                    isText = false
                    reply("text")
                    continue
                }
                let word = line.split(separator: " ").first.map { $0.uppercased() } ?? ""
                isText = word == "DATA" && (replies["DATA"] ?? "").hasPrefix("354")
                reply(word)
            }
        }
    }
}
