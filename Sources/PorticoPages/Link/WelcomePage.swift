package import PorticoBytes

/// A new account: what the provider shared about the person, to check and correct.
///
/// The form posts `request`, `csrf`, `name`, `email` where it is asked for, and `action`, which is
/// `save` or `later`.
package struct WelcomePage: Page {
    package enum Email: Sendable, Equatable {
        /// The provider vouches for it.
        case verified(String)
        /// Given by the provider, or typed, and not proven yet.
        case unverified(String)
        case missing
        /// One that Apple forwards from.
        case relay(String)
    }

    package enum Problem: Sendable, Equatable {
        case nameMissing
        case emailMissing
        case emailWrong
        case emailTaken
    }

    package let name: String
    package let email: Email
    package let provider: MethodLabel
    package let form: PageForm
    package let problems: [Problem]
    package let terms: PageLink?

    package init(
        name: String,
        email: Email,
        provider: MethodLabel,
        form: PageForm,
        problems: [Problem] = [],
        terms: PageLink? = nil
    ) {
        self.name = name
        self.email = email
        self.provider = provider
        self.form = form
        self.problems = problems
        self.terms = terms
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.welcome.heading(frame.owner)
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        let items = [Field.name, Field.email].flatMap { field in
            told(field, words).map { [ErrorSummary.Item(text: $0, field: field)] } ?? []
        }
        guard !items.isEmpty else { return nil }
        return ErrorSummary(summaryTitle: words.welcome.problem, items: items)
    }

    private enum Field {
        static let name = "name"
        static let email = "email"
    }

    private func told(_ field: String, _ words: Words) -> Phrase? {
        let phrases = problems.compactMap { problem -> Phrase? in
            switch (problem, field) {
            case (.nameMissing, Field.name): words.welcome.nameMissing
            case (.emailMissing, Field.email) where asksForEmail: words.welcome.emailMissing
            case (.emailWrong, Field.email) where asksForEmail:
                words.welcome.emailWrong(FieldBlock.exampleEmail)
            default: nil
            }
        }
        return phrases.first
    }

    private var asksForEmail: Bool {
        switch email {
        case .unverified, .missing: true
        case .verified, .relay: false
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let welcome = words.welcome
        return HTML([
            .line(welcome.given(words.method.name(provider))),
            email == .missing && problems.isEmpty ? .strong(welcome.noEmail) : nil,
            .form(
                form,
                [
                    .field(
                        FieldBlock(
                            Field.name,
                            .name,
                            label: welcome.name,
                            value: name,
                            hint: welcome.whyName,
                            problem: told(Field.name, words)
                        )
                    )
                ] + emailBlocks(words) + [
                    .buttons([
                        ActionButton("save", welcome.save, .first),
                        ActionButton("later", welcome.later, isWayOut: true),
                    ])
                ]
            ),
            .links([PageStep(terms, welcome.terms)]),
        ])
    }

    private func emailBlocks(_ words: Words) -> [HTML] {
        let welcome = words.welcome
        switch email {
        case .verified(let address):
            return [.facts([.init(welcome.verified, "\(exact: address)")])]
        case .relay(let address):
            return [.facts([.init(welcome.relay, "\(exact: address)")]), .note(welcome.relayWhat)]
        case .unverified, .missing:
            var value = ""
            if case .unverified(let address) = email { value = address }
            let field = FieldBlock(
                Field.email,
                .email,
                label: welcome.email,
                value: value,
                hint: value.isEmpty ? welcome.whyEmail : welcome.willConfirm,
                problem: told(Field.email, words)
            )
            return [.field(field)]
        }
    }
}
