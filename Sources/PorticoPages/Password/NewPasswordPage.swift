package import PorticoBytes

/// For a new password. Opening the link does not use it up: sending the form does.
///
/// The form posts `request`, `csrf`, `password` and `action`, which is `save` or `cancel`.
package struct NewPasswordPage: Page {
    package enum Problem: Sendable, Equatable {
        case missing, tooShort, tooLong, tooCommon, hasName
        /// The one that they have, where it must be another.
        case same
    }

    /// For the password manager, and to show which account it is.
    package let userName: String
    package let leastCharacters: Int
    package let form: PageForm
    package let problem: Problem?
    /// Whether the old password may stay.
    package let canCancel: Bool
    /// Whether they came to sign in, and must choose another password first.
    package let isDemanded: Bool
    /// Of a link that someone else has sent.
    package let mailed: Mailed?
    private let pages: PageNavigation?

    /// Where it comes by a mail that the person has not asked for.
    package struct Mailed: Sendable {
        /// The user name: the mailbox's owner may not know the account.
        package let account: String
        /// The address that is confirmed by it, where that is what it is for.
        package let confirms: String?
        /// To sign in first, in place of a new password.
        package let signIn: PageLink?

        package init(account: String, confirms: String? = nil, signIn: PageLink? = nil) {
            self.account = account
            self.confirms = confirms
            self.signIn = signIn
        }
    }

    package init(
        userName: String,
        leastCharacters: Int,
        form: PageForm,
        problem: Problem? = nil,
        canCancel: Bool = false,
        isDemanded: Bool = false,
        mailed: Mailed? = nil,
        navigation: PageNavigation? = nil
    ) {
        self.userName = userName
        self.leastCharacters = leastCharacters
        self.form = form
        self.problem = problem
        self.canCancel = canCancel
        self.isDemanded = isDemanded
        self.mailed = mailed
        pages = navigation
    }

    package var navigation: PageNavigation? { pages?.at(.password) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.reset.new }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem.map { problem in
            let told = problem.told(words, leastCharacters: leastCharacters)
            return ErrorSummary(
                summaryTitle: words.reset.problem,
                items: [.init(text: told, field: "password")]
            )
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            isDemanded ? HTML.line(words.reset.demanded) : nil,
            mailed?.confirms.map { .line(words.code.linkProves($0)) },
            mailed.map { .facts([.init(words.code.linkAccount, "\(name: $0.account)")]) },
            .form(
                form,
                [
                    .field(
                        FieldBlock(
                            "username",
                            .userName,
                            label: words.reset.userName,
                            value: userName
                        )
                    ),
                    .field(
                        FieldBlock(
                            "password",
                            .newPassword,
                            label: words.reset.newPassword,
                            hint: words.reset.rule(words.reset.characters(leastCharacters)),
                            problem: problem?.told(words, leastCharacters: leastCharacters),
                            startsHere: true
                        )
                    ),
                    .buttons([
                        ActionButton("save", words.reset.save, .first),
                        canCancel
                            ? ActionButton("cancel", words.common.cancel, isWayOut: true) : nil,
                    ]),
                ]
            ),
            mailed?.signIn.map { _ in .note(words.code.linkSignIn) },
            .links([PageStep(mailed?.signIn, words.choose.toSignIn)]),
        ])
    }
}

extension NewPasswordPage.Problem {
    func told(_ words: Words, leastCharacters: Int) -> Phrase {
        switch self {
        case .missing: words.reset.missing
        case .tooShort: words.reset.tooShort(words.reset.characters(leastCharacters))
        case .tooLong: words.reset.tooLong
        case .tooCommon: words.reset.tooCommon
        case .hasName: words.reset.hasName
        case .same: words.reset.same
        }
    }
}

/// What a link shows that an administrator has mailed, where no new password is asked for.
///
/// The form posts `request`, `csrf` and `action`, which is `confirm`.
package struct ActionLinkPage: Page {
    package enum State: Sendable {
        /// An address is confirmed, of the account with that user name.
        case asking(address: String, account: String, PageForm)
        /// An authenticator app is to be set up, for the account with that user name.
        case demanding(account: String, PageForm)
        /// With the way on.
        case confirmed(PageLink?)
        case demanded(PageLink?)
        /// The link's time is over, or it was used.
        case over
    }

    package let state: State

    package init(state: State) {
        self.state = state
    }

    package var isError: Bool {
        if case .over = state { true } else { false }
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch state {
        case .asking: words.code.linkAsked
        case .demanding, .demanded: words.factors.setup
        case .confirmed: words.code.linkDone
        case .over: words.reset.expired
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        switch state {
        case .asking(let address, let account, let form):
            HTML([
                .line(words.code.linkWhy(address)),
                .facts([.init(words.code.linkAccount, "\(name: account)")]),
                .form(form, [.buttons([ActionButton("confirm", words.code.confirm, .first)])]),
            ])
        case .demanding(let account, let form):
            HTML([
                .line(words.code.linkDemands),
                .facts([.init(words.code.linkAccount, "\(name: account)")]),
                .form(form, [.buttons([ActionButton("confirm", words.common.proceed, .first)])]),
            ])
        case .confirmed(let next):
            HTML([.line(words.code.linkDoneWhat), .steps([PageStep(next, words.common.proceed)])])
        case .demanded(let next):
            HTML([.line(words.code.linkDemanded), .steps([PageStep(next, words.common.proceed)])])
        case .over: HTML([.line(words.code.linkOver)])
        }
    }
}

/// A link from an email was opened in another browser than the one that asked for it: instead of an
/// error, the page shows a code to enter in that browser. It is shown on request, because mail
/// scanners open links too.
///
/// The form posts `request`, `csrf` and `action`, which is `show-code`.
package struct CodeForOtherBrowserPage: Page {
    package enum State: Sendable {
        case asking(PageForm)
        /// Six digits, and for how many minutes they are good.
        case code(String, minutes: Int)
    }

    package let state: State

    package init(state: State) {
        self.state = state
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        if case .code = state { words.code.elsewhere } else { words.code.elsewhereAsked }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        switch state {
        case .asking(let form):
            HTML([
                .line(words.code.elsewhereWhy),
                .line(words.code.elsewhereDoubt),
                .form(form, [.buttons([ActionButton("show-code", words.code.show, .first)])]),
            ])
        case .code(let code, let minutes):
            HTML([
                .code(code),
                .line(words.code.elsewhereAdvice),
                .note(words.code.lasts(words.time.minutes(minutes))),
            ])
        }
    }
}

/// The result of opening a link to choose a new password.
package struct PasswordLinkPage: Page {
    package enum Outcome: Sendable, CaseIterable {
        case done, expired, used
    }

    package let outcome: Outcome
    /// To sign in, or to have another link sent.
    package let next: PageLink?
    /// For how long links are good.
    package let minutes: Int

    package init(outcome: Outcome, next: PageLink? = nil, minutes: Int = 30) {
        self.outcome = outcome
        self.next = next
        self.minutes = minutes
    }

    package var isError: Bool { outcome != .done }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch outcome {
        case .done: words.reset.done
        case .expired: words.reset.expired
        case .used: words.reset.used
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let (line, step): (Phrase, Phrase) =
            switch outcome {
            case .done: (words.reset.doneWhat, words.choose.toSignIn)
            case .expired: (words.reset.expiredWhy(words.time.minutes(minutes)), words.reset.again)
            case .used: (words.reset.usedWhy, words.reset.again)
            }
        return HTML([.line(line), .steps([PageStep(next, step)])])
    }
}
