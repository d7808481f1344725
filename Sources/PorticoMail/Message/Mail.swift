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
