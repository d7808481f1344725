/// What a mail says: its kind and its values.
package enum MailText: Sendable, Equatable {
    case confirmationCode(code: String, use: CodeUse, minutes: Int)
    case emailChanged
    /// - Parameter at: Seconds since 1970.
    case newDevice(device: String, at: Int64, provider: String)
    case wayAdded(provider: String)
    case wayRemoved(provider: String)
    case passwordReset(address: String, minutes: Int)
    case passwordChanged
    case accountDeleted

    /// What a code does for whoever types it in.
    package enum CodeUse: Sendable, Equatable {
        /// Makes this the account's e-mail address.
        case confirmAddress(String)
        /// Signs in to the account, and adds a provider to it.
        case claimAccount(provider: String)
        /// Lets whoever is signed in change how the account is reached, or delete it.
        case confirmItsYou
    }

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
            subject: phrases.subject.plain,
            lines: [words.greeting] + phrases.lines.map(\.plain) + [ShownText(service).text]
        )
    }
}
