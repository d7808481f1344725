package import PorticoBytes

/// The person is already signed in: continue with that account or another one?
///
/// For `prompt=select_account`, for an account that another app has handed on, and for an `id_token_hint` that names another person
/// (OpenID Connect Core §3.1.2.1). The form posts `request`, `csrf` and `action`, which is `continue`,
/// `switch` or `cancel`.
package struct AccountPage: Page {
    package enum Reason: Sendable {
        /// The client wants the person to choose.
        case choose
        /// The client expects a different person, so continuing is no answer.
        case otherPersonExpected
        /// An app of that name has handed its account on to the client.
        case handedOn(by: String)
    }

    package let client: String
    package let account: PageAccount
    package let reason: Reason
    package let form: PageForm

    package init(client: String, account: PageAccount, reason: Reason, form: PageForm) {
        self.client = client
        self.account = account
        self.reason = reason
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        if case .handedOn = reason { return words.account.goOnAs(account.name ?? account.userName) }
        return words.account.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let intro: Phrase
        let proceed: Phrase?
        switch reason {
        case .choose:
            intro = words.account.choose(client)
            proceed = words.account.continueAs(account.name ?? account.userName)
        case .otherPersonExpected:
            intro = words.account.otherExpected(client)
            proceed = nil
        case .handedOn(let app):
            intro = words.account.handedOn(["app": .name(app), "client": .name(client)])
            proceed = words.account.continueAs(account.name ?? account.userName)
        }
        return HTML([
            .account(account),
            .line(intro),
            .form(
                form,
                [
                    .buttons([
                        proceed.map { ActionButton("continue", $0, .first) },
                        ActionButton(
                            "switch",
                            words.common.useAnotherAccount,
                            proceed == nil ? .first : .second
                        ),
                        ActionButton("cancel", words.common.cancel),
                    ])
                ]
            ),
        ])
    }
}

/// An app of the AT Protocol asks for an account by its DID, and the account has none yet.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `cancel`.
package struct AccountWithoutDIDPage: Page {
    package let client: String
    package let account: PageAccount
    package let form: PageForm

    package init(client: String, account: PageAccount, form: PageForm) {
        self.client = client
        self.account = account
        self.form = form
    }

    /// What it is called in every language.
    private static let term = "DID"

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.handle.noDID(Self.term)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(
                words.handle.noDIDWhy([
                    "client": .exact(client), "term": .exact(Self.term),
                    "service": .name(frame.owner),
                ])
            ),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("switch", words.common.useAnotherAccount),
                        ActionButton("cancel", words.common.backTo(client), .plain),
                    ])
                ]
            ),
        ])
    }
}

/// A realm's people confirm their address before an app gets anything: a code is mailed when they
/// say so, and typed in on `EmailCodePage`.
///
/// The form posts `request`, `csrf` and `action`, which is `send`, `switch` or `cancel`.
package struct ConfirmEmailPage: Page {
    /// Where it will be sent, with most of it hidden: `a…@example.com`.
    package let address: String
    package let form: PageForm

    package init(address: String, form: PageForm) {
        self.address = address
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.code.confirmFirst }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.code.confirmWhy(address)),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("send", words.code.send, .first),
                        ActionButton("switch", words.common.useAnotherAccount),
                        ActionButton("cancel", words.common.cancel),
                    ])
                ]
            ),
        ])
    }
}
