/// Somebody does not know their password: a link is sent to their address. The answer is the same
/// whether there is an account.
///
/// The form posts `request`, `csrf`, `email` and `action`, which is `send` or `cancel`.
package struct ForgotPasswordPage: Page {
    package enum State: Sendable, Equatable {
        case asking
        case emailMissing
        /// By the address that was given.
        case sent(to: String)
    }

    package let state: State
    /// From the sign-in form, so that it need not be typed again.
    package let email: String
    package let form: PageForm
    package let back: PageLink?

    package init(state: State, email: String = "", form: PageForm, back: PageLink? = nil) {
        self.state = state
        self.email = email
        self.form = form
        self.back = back
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        if case .sent = state { words.reset.sent } else { words.reset.forgot }
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        guard state == .emailMissing else { return nil }
        return ErrorSummary(
            summaryTitle: words.reset.problem,
            items: [.init(text: words.reset.emailMissing, field: "email")]
        )
    }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        let reset = words.reset
        if case .sent(let address) = state {
            return Sheet([
                .line(reset.sentWhat(address)),
                .line(reset.sentAdvice),
                .steps([PageStep(back, words.choose.toSignIn)]),
            ])
        }
        return Sheet([
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
                            problem: state == .emailMissing ? reset.emailMissing : nil,
                            startsHere: true
                        )
                    ),
                    .buttons([
                        ActionButton("send", reset.send, .first),
                        ActionButton("cancel", Phrase(words.common.cancel), isWayOut: true),
                    ]),
                ]
            ),
        ])
    }

    package static let gallery = [
        GalleryState("asked", ForgotPasswordPage(state: .asking, form: .sample)),
        GalleryState(
            "e-mail known",
            ForgotPasswordPage(state: .asking, email: "ann@example.com", form: .sample)
        ),
        GalleryState(
            "e-mail missing",
            ForgotPasswordPage(state: .emailMissing, email: "ann", form: .sample)
        ),
        GalleryState(
            "sent",
            ForgotPasswordPage(
                state: .sent(to: "ann@example.com"),
                form: .sample,
                back: PageLink(path: "/realms/demo/login-actions/restart")
            )
        ),
    ]
}
