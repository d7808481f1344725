import PorticoBytes

/// The small page shown in the browser at the end of a sign-in over the loopback interface (RFC
/// 8252 §7.3). It has no script and loads nothing.
package struct LoopbackPage: Hashable, Sendable {
    package let title: String
    package let message: String

    package init(title: String, message: String) {
        self.title = title
        self.message = message
    }

    /// - Parameter name: Who signed in, if known.
    package static func signedIn(as name: String?) -> LoopbackPage {
        LoopbackPage(
            title: name.map { "Signed in as \($0)" } ?? "Signed in",
            message: "You can close this tab and go back to the app or the terminal."
        )
    }

    package static let signedOut = LoopbackPage(
        title: "Signed out",
        message: "You can close this tab and go back to the app or the terminal."
    )

    /// - Parameter reason: A literal in this package, never foreign text.
    package static func failed(_ reason: String) -> LoopbackPage {
        LoopbackPage(
            title: "Not signed in",
            message: "\(reason) Go back to the app or the terminal and try again."
        )
    }

    static let notAwaited = LoopbackPage(
        title: "Nothing was done",
        message: "This is not the answer that the app is waiting for."
    )

    var html: HTML {
        .document(
            language: "en",
            head: HTML([
                .meta("viewport", "width=device-width, initial-scale=1"),
                .meta("color-scheme", "light dark"),
                .element(.title, .text(title)),
                .style(Self.style),
            ]),
            body: .element(
                .body,
                .element(.main, .element(.h1, .text(title)), .element(.p, .text(message)))
            )
        )
    }

    /// The complete response, which closes the connection.
    func response(_ status: LoopbackStatus) -> [UInt8] {
        let body = html.bytes
        let head = Self.head(
            status,
            fields: [
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", String(body.count)),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src \(Self.style.hash); base-uri 'none'; "
                        + "form-action 'none'; frame-ancestors 'none'"
                ),
            ]
        )
        return head + body
    }

    /// Redirects to `path` on this receiver, which removes the code from the address bar and the
    /// history (RFC 9700 §4.3.1).
    static func redirect(to path: String) -> [UInt8] {
        head(.seeOther, fields: [("Location", path), ("Content-Length", "0")])
    }

    private static func head(_ status: LoopbackStatus, fields: [(String, String)]) -> [UInt8] {
        var lines = ["HTTP/1.1 \(status.rawValue) \(status.reason)"]
        lines += fields.map { "\($0): \($1)" }
        if status == .methodNotAllowed { lines.append("Allow: GET") }
        lines += [
            "Cache-Control: no-store",
            "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff",
            "Connection: close",
            "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static let style = InlineSource(
        unescaped: """
            :root{color-scheme:light dark;font:1.125rem/1.5 system-ui,sans-serif}\
            body{margin:0;min-height:100vh;display:grid;place-items:center}\
            main{max-inline-size:32rem;padding:1.5rem;overflow-wrap:anywhere}\
            h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem;text-wrap:balance}\
            p{margin:0;text-wrap:pretty}
            """
    )
}

/// The head of a request to the loopback receiver (RFC 9112 §3), parsed as far as the receiver
/// needs.
struct LoopbackRequest {
    /// Path and query as received.
    let target: String

    enum Reading {
        /// More bytes are needed.
        case incomplete
        case complete(LoopbackRequest)
        /// To be answered with this status and closed.
        case refused(LoopbackStatus)
    }

    static let longestRequestLine = 8 * 1024
    static let longestHead = 16 * 1024

    /// - Parameters:
    ///   - bytes: The bytes received so far.
    ///   - authority: The literal and port that the Host field must equal.
    static func read(_ bytes: [UInt8], authority: String) -> Reading {
        let lineEnd = endOfLine(in: bytes[...])
        guard (lineEnd ?? bytes.count) <= longestRequestLine else {
            return .refused(.uriTooLong)
        }
        guard let lineEnd, let headEnd = endOfHead(in: bytes) else {
            return bytes.count > longestHead ? .refused(.headTooLarge) : .incomplete
        }
        guard headEnd <= longestHead else { return .refused(.headTooLarge) }
        let parts = bytes[..<lineEnd].split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, parts[2].starts(with: "HTTP/1.".utf8) else {
            return .refused(.badRequest)
        }
        guard parts[0].elementsEqual("GET".utf8) else { return .refused(.methodNotAllowed) }
        // Another Host means DNS rebinding: a foreign page with a name that now resolves to this
        // machine.
        guard hosts(in: bytes[(lineEnd + 2)..<headEnd]) == [Array(authority.utf8)] else {
            return .refused(.badRequest)
        }
        guard parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy(isTargetCharacter) else {
            return .refused(.badRequest)
        }
        return .complete(LoopbackRequest(target: String(decoding: parts[1], as: UTF8.self)))
    }

    var path: Substring {
        target.prefix { $0 != "?" }
    }

    /// The values of all Host fields.
    private static func hosts(in fields: ArraySlice<UInt8>) -> [[UInt8]] {
        var hosts: [[UInt8]] = []
        var rest = fields
        while let end = endOfLine(in: rest) {
            let line = rest[..<end]
            rest = rest[(end + 2)...]
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                line[..<colon].map({ $0 | 0x20 }).elementsEqual("host".utf8)
            else { continue }
            hosts.append(Array(line[(colon + 1)...].trimming { $0.isBlank }))
        }
        return hosts
    }

    private static func endOfLine(in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let carriageReturn = rest.firstIndex(of: 0x0D) {
            let next = carriageReturn + 1
            guard next < rest.endIndex else { return nil }
            if rest[next] == 0x0A { return carriageReturn }
            rest = rest[next...]
        }
        return nil
    }

    /// The position of the empty line that ends the head.
    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        while let end = endOfLine(in: rest) {
            let next = end + 2
            if bytes[next...].starts(with: [0x0D, 0x0A]) { return next }
            rest = bytes[next...]
        }
        return nil
    }

    private static func isTargetCharacter(_ byte: UInt8) -> Bool {
        byte.isVisible && byte != UInt8(ascii: "#")
    }
}

/// The status codes of the loopback receiver.
enum LoopbackStatus: Int {
    case ok = 200
    case seeOther = 303
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case uriTooLong = 414
    case headTooLarge = 431

    var reason: String {
        switch self {
        case .ok: "OK"
        case .seeOther: "See Other"
        case .badRequest: "Bad Request"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .uriTooLong: "URI Too Long"
        case .headTooLarge: "Request Header Fields Too Large"
        }
    }
}
