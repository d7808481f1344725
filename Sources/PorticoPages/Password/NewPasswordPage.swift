package import PorticoBytes

/// A new password is chosen, once. Opening the link consumes nothing: the form does.
///
/// The form posts `request`, `csrf`, `password` and `action`, which is `save`.
package struct NewPasswordPage: Page {
    package enum Problem: Sendable, Equatable {
        case missing, tooShort, tooLong, tooCommon, hasName
    }

    /// For the password manager, and so that the person sees whose it is.
    package let userName: String
    package let leastCharacters: Int
    package let form: PageForm
    package let problem: Problem?

    package init(
        userName: String,
        leastCharacters: Int,
        form: PageForm,
        problem: Problem? = nil
    ) {
        self.userName = userName
        self.leastCharacters = leastCharacters
        self.form = form
        self.problem = problem
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.reset.new }

    package func problems(_ words: Words) -> ErrorSummary? {
        told(words).map {
            ErrorSummary(
                summaryTitle: words.reset.problem,
                items: [.init(text: $0, field: "password")]
            )
        }
    }

    private func told(_ words: Words) -> Phrase? {
        switch problem {
        case .missing: words.reset.missing
        case .tooShort: words.reset.tooShort(leastCharacters)
        case .tooLong: words.reset.tooLong
        case .tooCommon: words.reset.tooCommon
        case .hasName: words.reset.hasName
        case nil: nil
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
                            hint: words.reset.rule(leastCharacters),
                            problem: told(words),
                            startsHere: true
                        )
                    ),
                    .buttons([ActionButton("save", words.reset.save, .first)]),
                ]
            )
        ])
    }

    package static let gallery =
        [
            ("asked", nil), ("missing", .missing), ("too short", .tooShort),
            ("too long", .tooLong), ("too common", .tooCommon), ("name in it", .hasName),
        ]
        .map { (name: String, problem: Problem?) in
            GalleryState(
                name,
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    problem: problem
                )
            )
        }
}
