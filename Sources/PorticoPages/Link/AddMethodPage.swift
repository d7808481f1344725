package import PorticoBytes

/// "Add Apple to this account?", after both are proven.
///
/// The form posts `request`, `csrf` and `action`, which is `add` or `cancel`.
package struct AddMethodPage: Page {
    package let newMethod: MethodLabel
    /// Who was signed in at the provider, as it names them: not always the person at the page.
    package let identity: String?
    package let account: PageAccount
    package let form: PageForm

    package init(
        newMethod: MethodLabel,
        identity: String? = nil,
        account: PageAccount,
        form: PageForm
    ) {
        self.newMethod = newMethod
        self.identity = identity
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.linking.add(newMethod.displayName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            identity.map { .line(words.linking.addWhose(newMethod, $0)) },
            .line(words.linking.addWhat(newMethod.displayName)),
            .form(
                form,
                [
                    .pair(
                        ActionButton("add", words.linking.addYes(newMethod.displayName), .choice),
                        ActionButton("cancel", words.linking.addNo, .choice)
                    )
                ]
            ),
        ])
    }
}

/// A step for which a person who is signed in has to confirm that it is them.
///
/// The form posts `csrf`, and either `way` (its name) or `action`, which is `password`, `code` or
/// `cancel`.
package struct ConfirmItsYouPage: Page {
    package enum Reason: Sendable, CaseIterable {
        case adding, removing, changingEmail, deleting, downloading, other
    }

    package let reason: Reason
    package let account: PageAccount
    /// Those at which a new sign-in is a proof.
    package let methods: [SignInMethod]
    /// Whether it can be done with a password.
    package let hasPassword: Bool
    /// The account's address, mostly hidden, where a code can be sent to it.
    package let mailbox: String?
    package let form: PageForm
    /// Why a sign-in that was to be the proof is none.
    package let problem: ChooseMethodPage.Problem?

    package init(
        reason: Reason,
        account: PageAccount,
        methods: [SignInMethod],
        hasPassword: Bool = false,
        mailbox: String? = nil,
        form: PageForm,
        problem: ChooseMethodPage.Problem? = nil
    ) {
        self.reason = reason
        self.account = account
        self.methods = methods
        self.hasPassword = hasPassword
        self.mailbox = mailbox
        self.form = form
        self.problem = problem
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.confirm }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem?.told(words)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let linking = words.linking
        let buttons = HTML.methods(
            methods,
            title: linking.confirmMethods,
            posts: true,
            words.method,
            frame.theme
        )
        return HTML([
            .account(account),
            .line(linking.confirmReason(reason)),
            methods.isEmpty && mailbox == nil && !hasPassword
                ? .strong(linking.confirmNone) : nil,
            .form(
                form,
                [
                    methods.isEmpty ? nil : buttons,
                    hasPassword
                        ? .buttons([ActionButton("password", linking.byPassword)]) : nil,
                    mailbox.map { .buttons([ActionButton("code", linking.byMailbox($0))]) },
                    .buttons([ActionButton("cancel", words.common.cancel, .plain)]),
                ]
            ),
        ])
    }
}

/// The identity to add belongs to a different account, or the account already has one of that
/// provider: nothing is moved.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `cancel`.
package struct IdentityTakenPage: Page {
    package enum Reason: Sendable, Equatable {
        case otherAccount
        /// This account has an identity of that provider.
        case secondOfProvider
    }

    package let method: MethodLabel
    package let reason: Reason
    package let form: PageForm

    package init(method: MethodLabel, reason: Reason = .otherAccount, form: PageForm) {
        self.method = method
        self.reason = reason
        self.form = form
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .otherAccount: words.linking.taken(words.method.account(method))
        case .secondOfProvider: words.linking.secondOfProvider(words.method.account(method))
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let cancel = ActionButton("cancel", words.common.cancel)
        switch reason {
        case .otherAccount:
            return HTML([
                .line(words.linking.takenWhy),
                .line(words.linking.takenAdvice),
                .form(
                    form,
                    [
                        .buttons([
                            ActionButton("switch", words.linking.takenSwitch, .first), cancel,
                        ])
                    ]
                ),
            ])
        case .secondOfProvider:
            return HTML([.line(words.linking.secondAdvice), .form(form, [.buttons([cancel])])])
        }
    }
}

/// The provider hides the email address, so an existing account cannot be found: asked before a new
/// one is made.
///
/// The form posts `request`, `csrf` and `action`, which is `link`, `create` or `cancel`.
package struct RelayPage: Page {
    package let provider: MethodLabel
    package let form: PageForm

    package init(provider: MethodLabel, form: PageForm) {
        self.provider = provider
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.welcome.relayHeading(frame.owner)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.welcome.relayIntro(provider.displayName)),
            .line(words.welcome.relayAdvice(provider.displayName)),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("link", words.welcome.link, .choice),
                        ActionButton("create", words.welcome.create(frame.owner), .choice),
                        ActionButton("cancel", words.common.cancel, .plain),
                    ])
                ]
            ),
        ])
    }
}
