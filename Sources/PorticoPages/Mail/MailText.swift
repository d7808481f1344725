/// What a mail says: its kind and its values.
package enum MailText: Sendable, Equatable {
    case confirmationCode(code: String, use: CodeUse, minutes: Int)
    case emailChanged
    /// - Parameter at: Seconds since 1970.
    case newDevice(device: String, at: Int64, provider: String)
    case methodAdded(provider: String)
    case methodRemoved(provider: String)
    case passwordReset(address: String, minutes: Int)
    /// - Parameter until: Seconds since 1970.
    case accountActions(address: String, until: Int64)
    case passwordChanged
    case accountReclaimed
    case alreadyRegistered
    case secondFactorAdded
    case secondFactorRemoved
    case recoveryCodesMade
    case accountDeleted

    /// What a code does when it is typed in.
    package enum CodeUse: Sendable, Equatable {
        /// Makes this the account's e-mail address.
        case confirmAddress(String)
        /// Signs in to the account, and adds a provider to it.
        case claimAccount(provider: String)
        /// Lets the person who is signed in change or delete the account.
        case confirmItsYou
    }

    package struct Written: Sendable, Equatable {
        package let subject: String
        /// One paragraph each, plain text.
        package let lines: [String]
    }

    /// - Parameter service: Whose mail it is.
    package func text(in language: Language, service: String) -> Written {
        let words = language.words
        var values = values(words)
        values["service"] = .name(service)
        if case .confirmationCode(_, let use, _) = self {
            values["purpose"] = .words(use.text(words.mail.purpose)(values))
        }
        let mail = mail(words.mail)
        return Written(
            subject: mail.subject(values).plain,
            lines: ([words.mail.greeting] + mail.lines(values)).map(\.plain)
                + [ShownText(service).text]
        )
    }

    private func mail(_ words: MailWords) -> MailWords.Mail {
        switch self {
        case .confirmationCode: words.confirmationCode
        case .emailChanged: words.emailChanged
        case .newDevice: words.newDevice
        case .methodAdded: words.methodAdded
        case .methodRemoved: words.methodRemoved
        case .passwordReset: words.passwordReset
        case .accountActions: words.accountActions
        case .passwordChanged: words.passwordChanged
        case .accountReclaimed: words.accountReclaimed
        case .alreadyRegistered: words.alreadyRegistered
        case .secondFactorAdded: words.secondFactorAdded
        case .secondFactorRemoved: words.secondFactorRemoved
        case .recoveryCodesMade: words.recoveryCodesMade
        case .accountDeleted: words.accountDeleted
        }
    }

    /// What stands in its texts, by the names that the language files use.
    private func values(_ words: Words) -> [String: Template.Value] {
        switch self {
        case .confirmationCode(let code, let use, let minutes):
            use.values.merging(
                ["code": .exact(code), "time": .words(words.time.minutes(minutes))]
            ) { $1 }
        case .newDevice(let device, let time, let provider):
            [
                "provider": .name(provider),
                "signIn": .words(
                    device.isEmpty
                        ? words.time.moment(of: time)
                        : words.mail.deviceAndTime([
                            "device": .name(device), "time": .words(words.time.moment(of: time)),
                        ])
                ),
            ]
        case .methodAdded(let provider), .methodRemoved(let provider):
            ["provider": .name(provider)]
        case .passwordReset(let link, let minutes):
            ["link": .exact(link), "time": .words(words.time.minutes(minutes))]
        case .accountActions(let link, let time):
            ["link": .exact(link), "time": .words(words.time.moment(of: time))]
        case .emailChanged, .passwordChanged, .accountReclaimed, .accountDeleted,
            .secondFactorAdded, .secondFactorRemoved, .recoveryCodesMade, .alreadyRegistered:
            [:]
        }
    }
}

extension MailText.CodeUse {
    fileprivate func text(_ words: MailWords.Purposes) -> FilledText {
        switch self {
        case .confirmAddress: words.confirmAddress
        case .claimAccount: words.claimAccount
        case .confirmItsYou: words.confirmItsYou
        }
    }

    fileprivate var values: [String: Template.Value] {
        switch self {
        case .confirmAddress(let address): ["address": .exact(address)]
        case .claimAccount(let provider): ["provider": .name(provider)]
        case .confirmItsYou: [:]
        }
    }
}
