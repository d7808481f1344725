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
        /// The same, of a client for development: it has no name.
        case unnamedAppOnThisDevice
        /// Known only by its own address.
        case site(host: String)
        /// Known only by a document at this address, which is its `client_id`: it goes by the name of
        /// its host.
        case document(clientID: String)
    }

    package let client: String
    package let origin: Origin
    package let account: PageAccount
    /// The scope names asked for, in the request's order.
    package let scopes: [String]
    /// Those that it asks for and does not get, because they are not known.
    package let unknown: [String]
    /// Whether people administer by it.
    package let administers: Bool
    package let form: PageForm

    package init(
        client: String,
        origin: Origin,
        account: PageAccount,
        scopes: [String],
        unknown: [String] = [],
        administers: Bool = false,
        form: PageForm
    ) {
        self.client = client
        self.origin = origin
        self.account = account
        self.scopes = scopes
        self.unknown = unknown
        self.administers = administers
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.consent.heading(clientValue)
    }

    private var clientValue: [String: Template.Value] {
        if case .document = origin { ["client": .exact(client)] } else { ["client": .name(client)] }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let consent = words.consent
        return HTML([
            asker(consent),
            .section(
                "grants-title",
                grants(consent),
                [
                    .list(
                        "grants",
                        (administers ? [consent.grant.administer] : []) + words.grants(scopes)
                    )
                ]
            ),
            unknown.isEmpty
                ? nil
                : .section(
                    "unknown-title",
                    words.permission.unknown(clientValue),
                    [.list("grants", unknown.map { "\(exact: $0)" })]
                ),
            .form(
                form,
                [
                    .section(
                        "account-title",
                        consent.account,
                        [
                            .account(account),
                            ActionButton("switch", words.common.useAnotherAccount, .plain).html,
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

    private func grants(_ words: ConsentWords) -> Phrase {
        if case .unnamedAppOnThisDevice = origin { return words.grantsOfUnnamed }
        return words.grants(clientValue)
    }

    private func asker(_ words: ConsentWords) -> HTML? {
        let name: Phrase
        let advice: Phrase
        switch origin {
        case .registered: return nil
        case .appOnThisDevice, .unnamedAppOnThisDevice:
            (name, advice) = (words.appOnThisDevice, words.appAdvice)
        case .site(let host): (name, advice) = (words.site(host), words.siteAdvice)
        case .document(let clientID):
            (name, advice) = (words.document(clientID), words.siteAdvice)
        }
        return HTML([.element(.p, [.class: "origin"], .element(.strong, name.html)), .line(advice)])
    }
}
