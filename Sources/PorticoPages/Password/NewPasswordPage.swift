/// A new password is chosen, once. Opening the link consumes nothing: the form does.
///
/// The form posts `request`, `csrf`, `password` and `action`, which is `save`.
package struct NewPasswordPage: Page {
    package enum Problem: Sendable, Equatable {
        case missing, tooShort, tooCommon
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
        case .tooCommon: words.reset.tooCommon
        case nil: nil
        }
    }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        Sheet([
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
            ("too common", .tooCommon),
        ]
        .map { (name: String, problem: Problem?) in
            GalleryState(
                name,
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 12,
                    form: .sample,
                    problem: problem
                )
            )
        }
}

/// What became of a link to choose a new password.
package struct PasswordLinkPage: Page {
    package enum Outcome: Sendable, CaseIterable {
        case done, expired, used
    }

    package let outcome: Outcome
    /// To sign in, or to have another link sent.
    package let next: PageLink?

    package init(outcome: Outcome, next: PageLink? = nil) {
        self.outcome = outcome
        self.next = next
    }

    package var isError: Bool { outcome != .done }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch outcome {
        case .done: words.reset.done
        case .expired: words.reset.expired
        case .used: words.reset.used
        }
    }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        let (line, step): (Phrase, Phrase) =
            switch outcome {
            case .done: (words.reset.doneWhat, words.choose.toSignIn)
            case .expired: (words.reset.expiredWhy, words.reset.again)
            case .used: (words.reset.usedWhy, words.reset.again)
            }
        return Sheet([.line(line), .steps([PageStep(next, step)])])
    }

    package static let gallery = Outcome.allCases.map { outcome in
        GalleryState(
            "\(outcome)",
            PasswordLinkPage(
                outcome: outcome,
                next: PageLink(path: "/realms/demo/login-actions/reset-credentials")
            )
        )
    }
}
