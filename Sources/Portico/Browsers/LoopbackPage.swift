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
                .element(
                    .main,
                    .element(.h1, .text(title)),
                    .element(.p, .text(message))
                )
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
