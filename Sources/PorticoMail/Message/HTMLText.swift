import PorticoBytes

/// The lines of a mail as HTML: it loads nothing and has no style of its own.
///
/// It exists for its `lang` and `dir`: plain text has no direction, and many programs then show
/// Arabic from the left (WCAG 2.2 §3.1.1).
struct HTMLText {
    /// Lines end in CRLF.
    let text: String

    init(subject: String, lines: [String], language: String, _ isRightToLeft: Bool) {
        let paragraphs = lines.split(whereSeparator: \.isEmpty).map { lines in
            HTML.element(
                .p,
                HTML(Array(lines.map { [Self.line($0)] }.joined(separator: [Self.lineBreak])))
            )
        }
        let html = HTML.document(
            language: language,
            direction: isRightToLeft ? "rtl" : "ltr",
            head: .element(.title, .text(subject)),
            body: .element(.body, HTML(paragraphs))
        )
        text = String(decoding: html.bytes, as: UTF8.self).replacing("\n", with: "\r\n")
    }

    private static let lineBreak = HTML([.element(.lineBreak), .text("\n")])

    private static func line(_ line: String) -> HTML {
        if isAddress(line) {
            return .element(.a, to: MailLink(href: line), [.dir: "ltr"], .text(line))
        }
        // A code is read from the left in every script, and must be easy to find.
        let isCode = (4...10).contains(line.utf8.count) && line.utf8.allSatisfy { $0.isDigit }
        return isCode ? .element(.strong, [.dir: "ltr"], .text(line)) : .text(line)
    }

    private struct MailLink: HTMLAddress {
        let href: String
    }

    /// Whether the whole line is a web address, written in URI characters only (RFC 3986 §2).
    /// `http` is for a server on the reader's own machine.
    private static func isAddress(_ line: String) -> Bool {
        let schemes = ["https://", "http://127.0.0.1:", "http://[::1]:"]
        return schemes.contains(where: line.hasPrefix)
            && line.utf8.allSatisfy {
                $0.isLetterOrDigit || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0)
            }
    }
}
