package import PorticoBytes

/// User name and password.
///
/// The form posts `username`, `password`, `request`, `csrf` and `action`, which is `sign-in`, `cancel`,
/// `switch` (use another account) or `register`; or `way`, the name of a method.
package struct SignInPage: Page {
    /// Why the form is shown again. Except for the last three it is about the fields.
    package enum Problem: Sendable, Equatable {
        /// The name is unknown or the password is wrong: the page does not say which, except where
        /// the name is fixed.
        case wrongPair
        case missing(userName: Bool, password: Bool)
        case mustWait(seconds: Int)
        /// Too many sign-ins at once (503).
        case busy
        /// The password was right, too long ago.
        case tookTooLong
    }

    /// The asking client's name.
    package let client: String
    package let form: PageForm
    /// From `login_hint`, from the last try, or of the person who is to sign in again.
    package let userName: String
    /// The person is signed in and has to confirm that it is them: the name is fixed.
    package let again: Bool
    /// Another account may be signed in, which a sign-in with this one would sign out.
    package let endsAnother: Bool
    package let problem: Problem?
    /// Why they come back from an identity provider without having signed in.
    package let failure: ChooseMethodPage.Problem?
    /// Whether people can sign in with a password at all.
    package let takesPassword: Bool
    /// Where a new password can be had.
    package let forgot: PageLink?
    /// Whether an account can be made.
    package let registers: Bool
    /// Where else the person can sign in, in the order that the operator set.
    package let methods: [SignInMethod]

    package init(
        client: String,
        form: PageForm,
        userName: String = "",
        again: Bool = false,
        endsAnother: Bool = false,
        problem: Problem? = nil,
        failure: ChooseMethodPage.Problem? = nil,
        takesPassword: Bool = true,
        forgot: PageLink? = nil,
        registers: Bool = false,
        methods: [SignInMethod] = []
    ) {
        self.client = client
        self.form = form
        self.userName = userName
        self.again = again
        self.endsAnother = endsAnother
        self.problem = problem
        self.failure = failure
        self.takesPassword = takesPassword
        self.forgot = forgot
        self.registers = registers
        self.methods = methods
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        again ? words.signIn.again : words.signIn.heading(client)
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        guard let problem else { return failure?.told(words) }
        let title: Phrase
        var items: [ErrorSummary.Item] = []
        switch problem {
        case .wrongPair:
            title = words.signIn.problem
            items.append(
                again
                    ? .init(text: words.signIn.wrongPassword, field: Field.password)
                    : .init(text: words.signIn.wrongPair, field: Field.userName)
            )
        case .missing(let userName, let password):
            title = words.signIn.problem
            if userName {
                items.append(.init(text: words.signIn.enterUserName, field: Field.userName))
            }
            if password {
                items.append(.init(text: words.signIn.enterPassword, field: Field.password))
            }
        case .mustWait(let seconds):
            title = words.signIn.tooManyTries
            let wait = words.signIn.wait(words.time.wait(seconds: seconds))
            items.append(.init(text: wait, field: nil))
        case .busy:
            title = words.signIn.busy
            items.append(.init(text: words.signIn.busyAdvice, field: nil))
        case .tookTooLong:
            title = words.signIn.tookTooLong
            items.append(.init(text: words.signIn.passwordAgain, field: nil))
        }
        return ErrorSummary(summaryTitle: title, items: items)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let signIn = words.signIn
        return HTML([
            again ? .line(signIn.whyAgain) : nil,
            // The heading may have that name already.
            again || sameBytes(client, frame.owner) ? nil : .line(signIn.intro(frame.owner)),
            // When signing in again, the name is fixed.
            endsAnother && !again ? .paragraph(nil, signIn.endsAnother) : nil,
            takesPassword || !methods.isEmpty ? nil : .line(signIn.noMethod),
            .form(
                form,
                [
                    takesPassword ? .field(userNameField(signIn)) : nil,
                    takesPassword ? .field(passwordField(signIn)) : nil,
                    takesPassword ? nil : methodButtons(words, frame),
                    .buttons([
                        takesPassword ? ActionButton("sign-in", signIn.signIn, .first) : nil,
                        again
                            ? ActionButton(
                                "switch",
                                words.common.useAnotherAccount,
                                isWayOut: true
                            ) : nil,
                        registers && !again
                            ? ActionButton("register", words.registration.offer, isWayOut: true)
                            : nil,
                        ActionButton("cancel", words.common.cancel, isWayOut: true),
                    ]),
                    .links([PageStep(forgot, signIn.forgot)]),
                    takesPassword ? methodButtons(words, frame) : nil,
                ]
            ),
        ])
    }

    private func methodButtons(_ words: Words, _ frame: PageFrame) -> HTML? {
        methods.isEmpty
            ? nil
            : .methods(
                methods,
                title: takesPassword ? words.signIn.otherMethods : words.signIn.methods,
                posts: true,
                skippingChecks: true,
                words.method,
                frame.theme
            )
    }

    /// Which of the two is wrong is not said, so it stands beside neither, and is said once.
    private var isAboutBoth: Bool { problem == .wrongPair && !again }

    private func userNameField(_ words: SignInWords) -> FieldBlock {
        let told: Phrase? =
            switch problem {
            case .missing(userName: true, _): words.enterUserName
            case .wrongPair, .missing, .mustWait, .busy, .tookTooLong, nil: nil
            }
        return FieldBlock(
            Field.userName,
            .signIn,
            label: words.userName,
            value: userName,
            problem: told,
            sharingProblemOf: isAboutBoth ? ErrorSummary.id : nil,
            isFixed: again,
            startsHere: problem == nil && failure == nil && !again && userName.isEmpty
        )
    }

    private func passwordField(_ words: SignInWords) -> FieldBlock {
        let told: Phrase? =
            switch problem {
            case .wrongPair where again: words.wrongPassword
            case .missing(_, password: true): words.enterPassword
            case .wrongPair, .missing, .mustWait, .busy, .tookTooLong, nil: nil
            }
        return FieldBlock(
            Field.password,
            .password,
            label: words.password,
            problem: told,
            sharingProblemOf: isAboutBoth ? ErrorSummary.id : nil,
            startsHere: problem == nil && failure == nil && (again || !userName.isEmpty)
        )
    }

    private enum Field {
        static let userName = "username"
        static let password = "password"
    }
}
