package import PorticoBytes

/// The key for an authenticator app, and the code that shows that the app has it.
///
/// The form posts `csrf`, `setup`, `code`, `others` where the person's other sessions are to end,
/// `request` where a sign-in waits, and `action`, which is `confirm` or `cancel`.
package struct AuthenticatorSetupPage: Page {
    package enum Problem: Sendable, Equatable {
        case missing, wrong
    }

    /// In base32.
    package let key: String
    /// The same as an address that apps on this device open (`otpauth:`).
    package let link: PageLink?
    package let form: PageForm
    /// Whether it is ticked that the other sessions end.
    package let endsOthers: Bool
    package let problem: Problem?

    package init(
        key: String,
        link: PageLink?,
        form: PageForm,
        endsOthers: Bool = true,
        problem: Problem? = nil
    ) {
        self.key = key
        self.link = link
        self.form = form
        self.endsOthers = endsOthers
        self.problem = problem
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.factors.setup }

    package func problems(_ words: Words) -> ErrorSummary? {
        told(words).map {
            ErrorSummary(
                summaryTitle: words.code.problem,
                items: [.init(text: $0, field: Self.field)]
            )
        }
    }

    private func told(_ words: Words) -> Phrase? {
        switch problem {
        case .missing: words.secondStep.missing
        case .wrong: words.secondStep.wrong
        case nil: nil
        }
    }

    private static let field = "code"

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let factors = words.factors
        return HTML([
            .line(factors.setupKey),
            link.flatMap { QRCode($0.href) }.map { .qrCode($0, factors.qrCode) },
            .facts([.init(factors.key, "\(exact: grouped)")]),
            .links([PageStep(link, factors.openApp)]),
            .line(factors.setupCode),
            .form(
                form,
                [
                    .field(
                        FieldBlock(
                            Self.field,
                            .code,
                            label: words.secondStep.label,
                            problem: told(words),
                            startsHere: true
                        )
                    ),
                    .check("others", words.lists.endOthers, isChecked: endsOthers),
                    .note(factors.endOthersWhy),
                    .buttons([
                        ActionButton("confirm", words.code.confirm, .first),
                        ActionButton("cancel", words.common.cancel, isWayOut: true),
                    ]),
                ]
            ),
        ])
    }

    /// Four and four, as it is typed.
    private var grouped: String {
        let bytes = Array(key.utf8)
        return stride(from: 0, to: bytes.count, by: 4)
            .map { String(decoding: bytes[$0..<min($0 + 4, bytes.count)], as: UTF8.self) }
            .joined(separator: " ")
    }
}

/// A person has changed their password on the pages of their account.
package struct ChangedPasswordPage: Page {
    package let account: PageAccount
    private let pages: PageNavigation

    package init(account: PageAccount, navigation: PageNavigation) {
        self.account = account
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.password) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.reset.done }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([.account(account), .line(words.reset.doneElsewhere)])
    }
}
