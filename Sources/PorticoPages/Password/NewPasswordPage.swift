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
