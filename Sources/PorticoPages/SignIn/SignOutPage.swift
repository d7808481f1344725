/// "Do you want to sign out?" (OpenID Connect RP-Initiated Logout §2).
///
/// The form posts `request`, `csrf` and `action`, which is `sign-out` or `stay`.
package struct SignOutPage: Page {
    /// The client that asks, where known.
    package let client: String?
    /// Who is signed in, where this browser may know.
    package let account: PageAccount?
    /// The session is another browser's, and only the client says which.
    package let isElsewhere: Bool
    package let form: PageForm

    package init(
        client: String?,
        account: PageAccount?,
        isElsewhere: Bool = false,
        form: PageForm
    ) {
        self.client = client
        self.account = account
        self.isElsewhere = isElsewhere
        self.form = form
    }

    package static let template = PageTemplate.signOut

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.signOut.heading(frame.owner)
    }

    package func view(_ words: Words, _ frame: PageFrame) -> View {
        View(
            account: account.map { PageAccount.View($0) },
            intro: intro(words.signOut),
            form: form,
            signOut: words.signOut.signOut,
            stay: words.signOut.stay
        )
    }

    private func intro(_ words: SignOutWords) -> Phrase {
        guard let client else { return words.intro }
        return isElsewhere ? words.askedElsewhere(client) : words.asked(client)
    }

    package struct View: Sendable {
        let account: PageAccount.View?
        let intro: Phrase
        let form: PageForm
        let signOut: String
        let stay: String
    }
}

extension SignOutPage {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "asked by a client",
            SignOutPage(client: "Notes", account: .sample, form: .sample)
        ),
        GalleryState(
            "asked by a client, elsewhere",
            SignOutPage(client: "Notes", account: nil, isElsewhere: true, form: .sample)
        ),
        GalleryState(
            "asked by nobody known",
            SignOutPage(
                client: nil,
                account: .sample,
                form: .sample
            )
        ),
    ]
}
