package import PorticoBytes

/// For a new password. Opening the link does not use it up: sending the form does.
///
/// The form posts `request`, `csrf`, `password` and `action`, which is `save` or `cancel`.
package struct NewPasswordPage: Page {
    package enum Problem: Sendable, Equatable {
        case missing, tooShort, tooLong, tooCommon, hasName
    }

    /// For the password manager, and to show which account it is.
    package let userName: String
    package let leastCharacters: Int
    package let form: PageForm
    package let problem: Problem?
    /// Whether the old password may stay.
    package let canCancel: Bool

    package init(
        userName: String,
        leastCharacters: Int,
        form: PageForm,
        problem: Problem? = nil,
        canCancel: Bool = false
    ) {
        self.userName = userName
        self.leastCharacters = leastCharacters
        self.form = form
        self.problem = problem
        self.canCancel = canCancel
    }

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
            )
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
        }
    }
}
