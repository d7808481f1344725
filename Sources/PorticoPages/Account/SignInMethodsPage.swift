package import PorticoBytes

/// The sign-in methods of an account: to add and to remove.
///
/// A form posts `csrf`, and `way` (the name of one to add), or `id` and `action=remove`.
package struct SignInMethodsPage: Page {
    /// One that the account has.
    package struct Linked: Sendable {
        /// What the form gives back.
        package let id: String
        package let label: MethodLabel
        /// As the provider told it.
        package let email: String?
        /// Seconds since 1970.
        package let addedAt: Int64
        /// Whether people can sign in with it now.
        package let isUsable: Bool

        package init(
            id: String,
            label: MethodLabel,
            email: String? = nil,
            addedAt: Int64,
            isUsable: Bool = true
        ) {
            self.id = id
            self.label = label
            self.email = email
            self.addedAt = addedAt
            self.isUsable = isUsable
        }
    }

    package enum Status: Sendable, Equatable {
        case added(MethodLabel), removed(MethodLabel)
    }

    package let linked: [Linked]
    /// Those that can be added.
    package let others: [SignInMethod]
    /// Whether they can sign in with a password besides.
    package let hasPassword: Bool
    package let form: PageForm
    package let status: Status?
    /// The only method was to be removed, which is refused.
    package let lastOneRefused: Bool
    /// Why a method was not added.
    package let notAdded: ChooseMethodPage.Problem?
    private let pages: PageNavigation

    package init(
        linked: [Linked],
        others: [SignInMethod],
        hasPassword: Bool = false,
        form: PageForm,
        status: Status? = nil,
        lastOneRefused: Bool = false,
        notAdded: ChooseMethodPage.Problem? = nil,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.linked = linked
        self.others = others
        self.hasPassword = hasPassword
        self.form = form
        self.status = status
        self.lastOneRefused = lastOneRefused
        self.notAdded = notAdded
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.methods) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.methods }

    package func problems(_ words: Words) -> ErrorSummary? {
        if lastOneRefused {
            return ErrorSummary(
                summaryTitle: words.lists.onlyOneProblem,
                items: [.init(text: words.lists.onlyOne, field: nil)]
            )
        }
        return notAdded?.told(words)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lists = words.lists
        let done: Phrase? =
            switch status {
            case .added(let label): lists.methodAdded(words.method.name(label))
            case .removed(let label): lists.methodRemoved(words.method.name(label))
            case nil: nil
            }
        let rows = linked.enumerated().map { index, method in
            // It can have changed by the time the button is pressed: the store refuses.
            let canRemove =
                hasPassword || linked.contains { $0.isUsable && $0.id != method.id }
            return RowBlock(
                id: "way-\(index + 1)",
                title: words.method.name(method.label),
                remarks: [
                    method.email.map { "\(exact: $0)" },
                    lists.added(words.time.day(of: method.addedAt)),
                    method.isUsable
                        ? canRemove || lastOneRefused ? nil : lists.onlyOne : lists.unavailable,
                ].compactMap(\.self),
                form: canRemove
                    ? (
                        form.with("id", method.id),
                        ActionButton("remove", lists.removeMethod(words.method.name(method.label)))
                    )
                    : nil
            )
        }
        // The page of the password changes it.
        let password =
            hasPassword
            ? [RowBlock(id: "password", title: words.area.place(.password), remarks: [])] : []
        let buttons = HTML.methods(
            others,
            title: lists.more,
            posts: true,
            words.method,
            frame.theme
        )
        return HTML([
            .status(done),
            .line(lists.methodsIntro),
            .section("your-ways", lists.yours, [.rows(rows + password)]),
            others.isEmpty ? nil : .form(form, [buttons]),
            others.isEmpty ? nil : .note(lists.addWhat),
        ])
    }
}
