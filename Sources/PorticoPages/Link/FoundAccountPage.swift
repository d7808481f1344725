package import PorticoBytes

/// A new sign-in method seems to belong to an existing account: the person signs in with a method that
/// the account has, or proves its mailbox, before anything is added.
///
/// The form posts `request`, `csrf`, and either `way` (its name) or `action`, which is `link` (to sign in with
/// a password), `mailbox`, `separate` or `cancel`.
package struct FoundAccountPage: Page {
    /// The outcome of a sign-in that was to prove the account.
    package enum Notice: Sendable, Equatable {
        case stopped(MethodLabel)
        /// The provider did not ask the person to sign in again.
        case notReauthenticated(MethodLabel)
    }

    package let newMethod: MethodLabel
    /// Those that the account has; the first is named as the usual one.
    package let knownMethods: [SignInMethod]
    /// The account's address, mostly hidden, where a code can be sent to it; `nil` where the account has
    /// another identity of the new method already.
    package let mailbox: String?
    /// Whether that code removes the account's other methods: its address was never confirmed.
    package let expelsOthers: Bool
    /// Whether the account has a password that the person can sign in with.
    package let hasPassword: Bool
    package let canSeparate: Bool
    package let form: PageForm
    package let notice: Notice?

    package init(
        newMethod: MethodLabel,
        knownMethods: [SignInMethod],
        mailbox: String? = nil,
        expelsOthers: Bool = false,
        hasPassword: Bool = false,
        canSeparate: Bool = false,
        form: PageForm,
        notice: Notice? = nil
    ) {
        self.newMethod = newMethod
        self.knownMethods = knownMethods
        self.mailbox = mailbox
        self.expelsOthers = expelsOthers
        self.hasPassword = hasPassword
        self.canSeparate = canSeparate
        self.form = form
        self.notice = notice
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.found }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let linking = words.linking
        let methods =
            knownMethods.isEmpty
            ? nil
            : HTML.methods(
                knownMethods,
                title: linking.foundMethods,
                posts: true,
                words.method,
                frame.theme
            )
        let others = [
            hasPassword ? ActionButton("link", linking.byPassword) : nil,
            mailbox.map { ActionButton("mailbox", linking.byMailbox($0)) },
            canSeparate ? ActionButton("separate", linking.separate) : nil,
        ]
        let hasOthers = hasPassword || mailbox != nil || canSeparate
        let told: Phrase? =
            switch notice {
            case .stopped(let method): linking.cancelled(method.displayName)
            case .notReauthenticated(let method): linking.notReauthenticated(method.displayName)
            case nil: nil
            }
        return HTML([
            .status(told),
            knownMethods.first.map { .line(linking.foundWhy($0.label, newMethod)) },
            knownMethods.isEmpty && mailbox == nil && !hasPassword
                ? .line(linking.secondOfProvider(words.method.account(newMethod))) : nil,
            .form(
                form,
                [
                    methods,
                    mailbox != nil && methods != nil ? .note(linking.proveIt) : nil,
                    hasOthers ? .buttons(others) : nil,
                    mailbox != nil && expelsOthers ? .note(linking.expels) : nil,
                    .buttons([ActionButton("cancel", words.common.cancel, .plain)]),
                ]
            ),
        ])
    }
}
