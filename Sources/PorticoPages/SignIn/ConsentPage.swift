package import PorticoBytes

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
        /// Known only by its own address.
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

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.consent.heading(client)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let consent = words.consent
        return HTML([
            asker(consent),
            .section(
                "grants-title",
                consent.grants(client),
                [.list("grants", scopes.map { consent.grant($0) })]
            ),
            .form(
                form,
                [
                    .section(
                        "account-title",
                        consent.account,
                        [
                            .account(account),
                            ActionButton(
                                "switch",
                                words.common.useAnotherAccount,
                                .plain
                            ).html,
                        ]
                    ),
                    .pair(
                        ActionButton("allow", consent.allow, .choice),
                        ActionButton("deny", consent.deny, .choice)
                    ),
                ]
            ),
        ])
    }

    private func asker(_ words: ConsentWords) -> HTML? {
        let name: Phrase
        let advice: Phrase
        switch origin {
        case .registered: return nil
        case .appOnThisDevice: (name, advice) = (words.appOnThisDevice, words.appAdvice)
        case .site(let host): (name, advice) = (words.site(host), words.siteAdvice)
        }
        return HTML([
            .element(.p, [.class: "origin"], .element(.strong, name.html)), .line(advice),
        ])
    }
}
