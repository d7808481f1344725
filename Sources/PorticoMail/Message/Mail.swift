package import PorticoBytes

/// A mail to one person, as text (RFC 5322).
///
/// Having one is the proof that no text in it can begin a header or a part: the initializer refuses
/// it.
package struct Mail: Sendable {
    package let from: MailSender
    package let to: MailAddress
    package let subject: String
    /// Paragraphs are separated by an empty line. A line that is an `https` address becomes a link.
    package let lines: [String]
    /// A language tag (RFC 5646); it also decides the direction.
    package let language: String
    /// The same for each try of one mail, so that a mail program shows it once.
    package let id: UniqueID
    /// When it was written, in seconds since 1970.
    package let date: Int64

    package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case recipient(MailAddress.Refusal)
        case subject
        case lines
        case language
        case date

        package var description: String {
            switch self {
            case .recipient: "The recipient's address is none that mail is sent to."
            case .subject: "The subject is empty, too long, or not one plain line."
            case .lines: "The text is empty, too long, or has a line that is not one plain line."
            case .language: "The language is not a language tag."
            case .date: "The date is not between 1970 and 9999."
            }
        }
    }

    package init(
        from: MailSender,
        to: String,
        subject: String,
        lines: [String],
        language: String,
        id: UniqueID,
        date: Int64
    ) throws(Refusal) {
        self.from = from
        do {
            self.to = try MailAddress(to)
        } catch {
            throw .recipient(error)
        }
        guard (1...1000).contains(subject.utf8.count), PlainLine.isPlain(subject) else {
            throw .subject
        }
        self.subject = subject
        guard (1...200).contains(lines.count),
            lines.allSatisfy({ $0.utf8.count <= 4000 && PlainLine.isPlain($0) })
        else { throw .lines }
        self.lines = lines.map(PlainLine.bare)
        guard Self.isLanguageTag(language) else { throw .language }
        self.language = language
        self.id = id
        guard (0..<253_402_300_800).contains(date) else { throw .date }
        self.date = date
    }

    /// Unique by its id, and in the sender's domain (RFC 5322 §3.6.4).
    package var messageID: String {
        "<\(id.text)@\(from.address.domain)>"
    }

    private static func isLanguageTag(_ text: String) -> Bool {
        guard text.utf8.count <= 35 else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy {
            (1...8).contains($0.count) && $0.allSatisfy { $0.isLetterOrDigit }
        }
    }
}

extension Mail {
    /// The mail as sent: headers, a plain part and the same text in HTML, lines ending in CRLF (RFC
    /// 5322 §2, RFC 2046 §5.1.4). SMTP itself doubles a full stop at the start of a line.
    package var bytes: [UInt8] {
        // "=_" is in no quoted-printable or base64 text (RFC 2045 §6.7).
        let boundary = "=_portico_\(id.text)"
        let isRightToLeft = PlainLine.isRightToLeft(language)
        let html = HTMLText(subject: subject, lines: lines, language: language, isRightToLeft)
        return header(boundary)
            + part("text/plain", lines.joined(separator: "\r\n") + "\r\n", boundary)
            + part("text/html", html.text, boundary)
            + Array("--\(boundary)--\r\n".utf8)
    }

    private func header(_ boundary: String) -> [UInt8] {
        let fields = [
            "Date: \(MailDate.text(date))",
            "From: \(fromValue)",
            "To: \(to.text)",
            "Message-ID: \(messageID)",
            "Subject: " + EncodedWord.unstructured(subject, after: 9),
            // Automatic replies are not wanted (RFC 3834 §5).
            "Auto-Submitted: auto-generated",
            "Content-Language: \(language)",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private var fromValue: String {
        guard let name = from.name else { return from.address.text }
        return EncodedWord.phrase(name, after: 6) + "\r\n <\(from.address.text)>"
    }

    private func part(_ type: String, _ text: String, _ boundary: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let encoding = TransferEncoding(for: bytes)
        let head = [
            "--\(boundary)",
            "Content-Type: \(type); charset=utf-8",
            "Content-Transfer-Encoding: \(encoding.rawValue)",
            "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8) + encoding.encode(bytes)
    }
}
