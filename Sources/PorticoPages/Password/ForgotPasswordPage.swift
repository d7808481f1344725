package import PorticoBytes

/// A forgotten password: a link is sent to the address. The answer is the same whether or not there
/// is an account.
///
/// The form posts `request`, `csrf`, `email` and `action`, which is `send` or `cancel`; after that
/// `request`, `csrf`, `code` and `action`, which is `confirm`.
package struct ForgotPasswordPage: Page {
    package enum State: Sendable, Equatable {
        case asking
        case emailMissing
        /// By the address that was given. Where the link was opened in another browser, the code that
        /// it shows there is entered here.
        case sent(to: String, problem: CodeProblem? = nil)
    }

    package enum CodeProblem: Sendable, Equatable, CaseIterable {
        case missing, wrong, tooMany
    }

    package let state: State
    /// From the sign-in form, so that it need not be typed again.
    package let email: String
    package let form: PageForm
    package let back: PageLink?
    /// For how long the link is good.
    package let minutes: Int

    package init(
        state: State,
        email: String = "",
        form: PageForm,
        back: PageLink? = nil,
        minutes: Int = 30
    ) {
        self.state = state
        self.email = email
        self.form = form
        self.back = back
        self.minutes = minutes
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        if case .sent = state { words.reset.sent } else { words.reset.forgot }
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        switch state {
        case .emailMissing:
            ErrorSummary(
                summaryTitle: words.reset.problem,
                items: [.init(text: emailMissing(words), field: "email")]
            )
        case .sent(_, let problem?):
            ErrorSummary(
                summaryTitle: words.code.problem,
                items: [.init(text: told(problem, words), field: "code")]
            )
        case .asking, .sent: nil
        }
    }

    private func emailMissing(_ words: Words) -> Phrase {
        words.reset.emailMissing(FieldBlock.exampleEmail)
    }

    private func told(_ problem: CodeProblem, _ words: Words) -> Phrase {
        switch problem {
        case .missing: words.reset.codeMissing
        case .wrong: words.reset.codeWrong
        case .tooMany: words.reset.codeTooMany
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        switch state {
        case .asking, .emailMissing: asking(words)
        case .sent(let address, let problem): sent(to: address, problem, words)
        }
    }

    private func asking(_ words: Words) -> HTML {
        let reset = words.reset
        return HTML([
            .line(reset.forgotIntro),
            .form(
                form,
                [
                    .field(
                        FieldBlock(
                            "email",
                            .email,
                            label: reset.email,
                            value: email,
                            problem: state == .emailMissing ? emailMissing(words) : nil,
                            startsHere: true
                        )
                    ),
                    .buttons([
                        ActionButton("send", reset.send, .first),
                        ActionButton("cancel", words.common.cancel, isWayOut: true),
                    ]),
                ]
            ),
        ])
    }

    private func sent(to address: String, _ problem: CodeProblem?, _ words: Words) -> HTML {
        let reset = words.reset
        return HTML([
            .line(reset.sentWhat(address)),
            .line(reset.sentAdvice(words.time.minutes(minutes))),
            .section(
                "elsewhere",
                reset.elsewhere,
                [
                    .line(reset.elsewhereWhat),
                    .form(
                        form,
                        [
                            .field(
                                FieldBlock(
                                    "code",
                                    .code,
                                    label: reset.codeLabel,
                                    problem: problem.map { told($0, words) }
                                )
                            ),
                            .buttons([ActionButton("confirm", words.code.confirm)]),
                        ]
                    ),
                ]
            ),
            .links([PageStep(back, words.choose.toSignIn)]),
        ])
    }
}
