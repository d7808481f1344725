package import PorticoBytes

/// Name and email address, to change.
///
/// The form posts `csrf`, `name`, or `given_name` and `family_name`, `email` and `action`, which is `save`
/// or `confirm-email`.
package struct AccountDetailsPage: Page {
    package enum Name: Sendable, Equatable {
        case whole(String)
        case parts(given: String, family: String)
    }

    package let name: Name
    package let email: WelcomePage.Email
    package let form: PageForm
    package let problems: [WelcomePage.Problem]
    /// What was typed has been saved just now.
    package let wasSaved: Bool
    /// Where the person's data is.
    package let download: PageLink?
    private let pages: PageNavigation

    package init(
        name: Name,
        email: WelcomePage.Email,
        form: PageForm,
        problems: [WelcomePage.Problem] = [],
        wasSaved: Bool = false,
        download: PageLink? = nil,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.name = name
        self.email = email
        self.form = form
        self.problems = problems
        self.wasSaved = wasSaved
        self.download = download
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.details) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.details }

    package func problems(_ words: Words) -> ErrorSummary? {
        let items = [
            told(about: .name, words).map { ErrorSummary.Item(text: $0, field: nameField) },
            told(about: .email, words).map { ErrorSummary.Item(text: $0, field: "email") },
        ].compactMap(\.self)
        guard !items.isEmpty else { return nil }
        return ErrorSummary(summaryTitle: words.welcome.problem, items: items)
    }

    private var nameField: String {
        switch name {
        case .whole: "name"
        case .parts: "given_name"
        }
    }

    private func nameFields(_ words: Words) -> [HTML] {
        let problem = told(about: .name, words)
        func field(
            _ id: String,
            _ kind: FieldBlock.Kind,
            _ label: Phrase,
            _ value: String,
            isRequired: Bool = true
        ) -> HTML {
            .field(
                FieldBlock(
                    id,
                    kind,
                    label: label,
                    value: value,
                    problem: isRequired ? problem : nil,
                    isRequired: isRequired
                )
            )
        }
        let names = words.registration
        return switch name {
        case .whole(let name): [field("name", .name, words.welcome.name, name)]
        case .parts(let given, let family):
            [
                field("given_name", .givenName, names.givenName, given),
                field("family_name", .familyName, names.familyName, family, isRequired: false),
            ]
        }
    }

    private func told(about kind: FieldBlock.Kind, _ words: Words) -> Phrase? {
        let phrases = problems.compactMap { problem -> Phrase? in
            switch (problem, kind) {
            case (.nameMissing, .name):
                nameField == "name"
                    ? words.welcome.nameMissing : words.registration.givenNameMissing
            case (.emailMissing, .email): words.welcome.emailMissing
            case (.emailWrong, .email): words.welcome.emailWrong(FieldBlock.exampleEmail)
            case (.emailTaken, .email): words.welcome.emailTaken
            default: nil
            }
        }
        return phrases.first
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let address: String
        let about: Phrase
        var canConfirm = false
        switch email {
        case .verified(let known): (address, about) = (known, words.area.isConfirmed)
        case .relay(let known): (address, about) = (known, words.welcome.relayWhat)
        case .unverified(let known):
            (address, about) = (known, words.area.isUnconfirmed)
            canConfirm = true
        case .missing: (address, about) = ("", words.welcome.whyEmail)
        }
        return HTML([
            .status(wasSaved ? words.area.saved : nil),
            .line(words.area.detailsIntro),
            .form(
                form,
                nameFields(words) + [
                    .field(
                        FieldBlock(
                            "email",
                            .email,
                            label: words.welcome.email,
                            value: address,
                            hint: about,
                            problem: told(about: .email, words),
                            isRequired: false
                        )
                    ),
                    .buttons([
                        ActionButton("save", words.area.save, .first),
                        canConfirm
                            ? ActionButton("confirm-email", words.area.confirmEmail) : nil,
                    ]),
                ]
            ),
            .links([PageStep(download, words.area.download)]),
        ])
    }
}
