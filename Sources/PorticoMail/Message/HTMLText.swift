import PorticoBytes

/// The lines of a mail as HTML: nothing loaded, no style but the mail program's own.
///
/// It is there for its `lang` and `dir`: a plain text has no direction, and many programs show Arabic
/// from the left then (WCAG 2.2 §3.1.1).
struct HTMLText {
    /// Lines end in CRLF.
    let text: String

    init(subject: String, lines: [String], language: String, _ isRightToLeft: Bool) {
        let direction = isRightToLeft ? "rtl" : "ltr"
        let paragraphs = lines.split(whereSeparator: \.isEmpty).map { lines in
            "<p>" + lines.map(Self.line).joined(separator: "<br>\r\n") + "</p>\r\n"
        }
        text =
            "<!DOCTYPE html>\r\n<html lang=\"\(language)\" dir=\"\(direction)\">\r\n<head>\r\n"
            + "<meta charset=\"utf-8\">\r\n<title>\(Self.escaped(subject))</title>\r\n</head>\r\n"
            + "<body>\r\n" + paragraphs.joined() + "</body>\r\n</html>\r\n"
    }

    private static func line(_ line: String) -> String {
        let text = escaped(line)
        if isAddress(line) { return "<a dir=\"ltr\" href=\"\(text)\">\(text)</a>" }
        // A code is read from the left in every script, and has to be found.
        let isCode = (4...10).contains(line.utf8.count) && line.utf8.allSatisfy { $0.isDigit }
        return isCode ? "<strong dir=\"ltr\">\(text)</strong>" : text
    }

    /// Whether the whole line is an address of the web, written with nothing but the characters of a
    /// URI (RFC 3986 §2). `http` is for a server on one's own machine.
    private static func isAddress(_ line: String) -> Bool {
        let schemes = ["https://", "http://127.0.0.1:", "http://[::1]:"]
        return schemes.contains(where: line.hasPrefix)
            && line.utf8.allSatisfy {
                $0.isLetterOrDigit || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0)
            }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
