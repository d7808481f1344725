package import PorticoBytes

/// After the password: the code from an app, or a recovery code.
///
/// The form posts `request`, `csrf`, `proof`, `way`, `code` and `action`, which is `confirm`,
/// `app` or `recovery` (the other way), `switch` (use another account) or `cancel`.
package struct SecondStepPage: Page {
    package enum Way: String, Sendable, CaseIterable {
        case app, recovery
    }

    package enum Problem: Sendable, Equatable {
        case missing, wrong, used
        case mustWait(seconds: Int)
    }

    /// The asking client's name.
    package let client: String
    package let form: PageForm
    package let way: Way
    /// Whether the person has the other one, too.
    package let hasOther: Bool
    package let problem: Problem?

    package init(
        client: String,
        form: PageForm,
        way: Way,
        hasOther: Bool,
        problem: Problem? = nil
    ) {
        self.client = client
        self.form = form
        self.way = way
        self.hasOther = hasOther
        self.problem = problem
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch way {
        case .app: words.secondStep.heading
        case .recovery: words.secondStep.recoveryHeading
        }
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        if case .mustWait(let seconds) = problem {
            let wait = words.signIn.wait(words.time.wait(seconds: seconds))
            return ErrorSummary(
                summaryTitle: words.signIn.tooManyTries,
                items: [.init(text: wait, field: nil)]
            )
        }
        return told(words.secondStep).map {
            ErrorSummary(
                summaryTitle: words.code.problem,
                items: [.init(text: $0, field: Self.field)]
            )
        }
    }

    private func told(_ words: SecondStepWords) -> Phrase? {
        switch (problem, way) {
        case (.missing, .app): words.missing
        case (.missing, .recovery): words.recoveryMissing
        case (.wrong, .app): words.wrong
        case (.wrong, .recovery): words.recoveryWrong
        case (.used, .app): words.used
        case (.used, .recovery): words.recoveryUsed
        case (.mustWait, _), (nil, _): nil
        }
    }

    private static let field = "code"

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let second = words.secondStep
        let isApp = way == .app
        return HTML([
            .line(isApp ? second.intro : second.recoveryIntro),
            .form(
                form,
                [
                    .field(
                        FieldBlock(
                            Self.field,
                            isApp ? .code : .recoveryCode,
                            label: isApp ? second.label : second.recoveryLabel,
                            problem: told(second),
                            startsHere: problem == nil
                        )
                    ),
                    .buttons([
                        ActionButton("confirm", words.signIn.signIn, .first),
                        hasOther ? other(second) : nil,
                        ActionButton("switch", words.common.useAnotherAccount, isWayOut: true),
                        ActionButton("cancel", words.common.cancel, isWayOut: true),
                    ]),
                ]
            ),
            .note(second.lost),
        ])
    }

    private func other(_ words: SecondStepWords) -> ActionButton {
        switch way {
        case .app: ActionButton(Way.recovery.rawValue, words.toRecovery, .plain, isWayOut: true)
        case .recovery: ActionButton(Way.app.rawValue, words.toApp, .plain, isWayOut: true)
        }
    }
}
