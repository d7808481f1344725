/// What a mail says: its kind and its values.
package enum MailText: Sendable, Equatable {
    case confirmationCode(code: String, minutes: Int)
    /// - Parameter at: Seconds since 1970.
    case newDevice(device: String, at: Int64, provider: String)
    case wayAdded(provider: String)
    case wayRemoved(provider: String)
    case passwordReset(address: String, minutes: Int)
    case accountDeleted

    package struct Written: Sendable, Equatable {
        package let subject: String
        /// One paragraph each, plain text.
        package let lines: [String]
    }

    /// - Parameter service: Whose mail it is.
    package func text(in language: Language, service: String) -> Written {
        let words: MailWords =
            switch language {
            case .english: .english
            case .german: .german
            case .arabic: .arabic
            }
        let phrases = words.text(self, service)
        return Written(
            subject: phrases.subject.mailed,
            lines: [words.greeting] + phrases.lines.map(\.mailed) + [service]
        )
    }
}

extension Phrase {
    /// As plain text. Names are put between isolates where the sentence runs from right to left, so
    /// that they leave it in order; nothing in them can end a line.
    fileprivate var mailed: String {
        pieces.map { piece in
            piece.text + (piece.isolated?.text ?? piece.exact?.text ?? "")
        }.joined()
    }
}
