/// What an app may do with an account, and the choice (OpenID Connect Core §3.1.2.4).
///
/// The form posts `request`, `csrf` and `action`, which is `allow`, `deny` or `switch`.
package struct ConsentPage: Page {
    /// What is known about who asks.
    package enum Origin: Sendable {
        /// The people who run the realm registered it.
        case registered
        /// It returns to a private-use scheme or to loopback, which any app on the device can claim
        /// (RFC 8252 §8.6).
        case appOnThisDevice
        /// Nobody vouches for it but its own address.
        case site(host: String)
    }

    package let client: String
    package let origin: Origin
    package let account: PageAccount
    /// The scope names asked for, in the request's order.
    package let scopes: [String]
    package let form: PageForm

    package init(
        client: String,
        origin: Origin,
        account: PageAccount,
        scopes: [String],
        form: PageForm
    ) {
        self.client = client
        self.origin = origin
        self.account = account
        self.scopes = scopes
        self.form = form
    }

    package static let template = PageTemplate.consent

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.consent.heading(client)
    }

    package func view(_ words: Words, _ frame: PageFrame) -> View {
        let originName: Phrase?
        let originAdvice: Phrase?
        switch origin {
        case .registered:
            originName = nil
            originAdvice = nil
        case .appOnThisDevice:
            originName = words.consent.appOnThisDevice
            originAdvice = words.consent.appAdvice
        case .site(let host):
            originName = words.consent.site(host)
            originAdvice = words.consent.siteAdvice
        }
        return View(
            originName: originName,
            originAdvice: originAdvice,
            grantsTitle: words.consent.grants(client),
            grants: scopes.map { View.Grant(grant: words.consent.grant($0)) },
            accountTitle: words.consent.account,
            account: PageAccount.View(account),
            form: form,
            allow: words.consent.allow,
            deny: words.consent.deny,
            switchAccount: words.common.useAnotherAccount
        )
    }

    package struct View: Sendable {
        struct Grant: Sendable {
            let grant: Phrase
        }

        let originName: Phrase?
        let originAdvice: Phrase?
        let grantsTitle: Phrase
        let grants: [Grant]
        let accountTitle: String
        let account: PageAccount.View
        let form: PageForm
        let allow: String
        let deny: String
        let switchAccount: String
    }
}

extension ConsentPage {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "registered",
            ConsentPage(
                client: "Notes",
                origin: .registered,
                account: .sample,
                scopes: ["openid", "profile", "email", "roles"],
                form: .sample
            )
        ),
        GalleryState(
            "app on this device, everything",
            ConsentPage(
                client: "Notes",
                origin: .appOnThisDevice,
                account: .sample,
                scopes: [
                    "openid", "profile", "email", "address", "phone", "offline_access",
                    "notes.write:all", "roles",
                ],
                form: .sample
            )
        ),
        GalleryState(
            "site, no name",
            ConsentPage(
                client: "Some Reader",
                origin: .site(host: "reader.example"),
                account: PageAccount(name: nil, userName: "bob"),
                scopes: ["openid", "roles"],
                form: .sample
            )
        ),
    ]
}
