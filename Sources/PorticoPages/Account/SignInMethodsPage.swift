package import PorticoBytes

/// The ways to sign in that an account has, to be added to and removed.
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
    package let form: PageForm
    package let status: Status?
    /// The last one was to be removed, which is refused.
    package let lastOneRefused: Bool
    /// Why a way that was to be added was not.
    package let notAdded: ChooseMethodPage.Problem?
    private let pages: PageNavigation

    package init(
        linked: [Linked],
        others: [SignInMethod],
        form: PageForm,
        status: Status? = nil,
        lastOneRefused: Bool = false,
        notAdded: ChooseMethodPage.Problem? = nil,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.linked = linked
        self.others = others
        self.form = form
        self.status = status
        self.lastOneRefused = lastOneRefused
        self.notAdded = notAdded
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.ways) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.ways }

    package func problems(_ words: Words) -> ErrorSummary? {
        if lastOneRefused {
            return ErrorSummary(
                summaryTitle: words.lists.onlyOneProblem,
                items: [.init(text: words.lists.onlyOne, field: nil)]
            )
        }
        return notAdded.map { problem in
            let told = words.problem(problem)
            return ErrorSummary(
                summaryTitle: told.title,
                items: [.init(text: told.sentence, field: nil)]
            )
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lists = words.lists
        let done: Phrase? =
            switch status {
            case .added(let label): lists.wayAdded(label)
            case .removed(let label): lists.wayRemoved(label)
            case nil: nil
            }
        let rows = linked.enumerated().map { index, way in
            // What stands behind a button can still have changed; the store is who refuses.
            let canRemove = linked.contains { $0.isUsable && $0.id != way.id }
            return RowBlock(
                id: "way-\(index + 1)",
                title: "\(name: way.label.displayName)",
                remarks: [
                    way.email.map { "\(exact: $0)" },
                    lists.added(words.time.day(of: way.addedAt)),
                    way.isUsable
                        ? canRemove || lastOneRefused ? nil : lists.onlyOne : lists.unavailable,
                ].compactMap(\.self),
                form: canRemove
                    ? (form.with("id", way.id), ActionButton("remove", lists.removeWay(way.label)))
                    : nil
            )
        }
        let ways = HTML.ways(others, title: lists.more, posts: true, words.way, frame.theme)
        return HTML([
            .status(done),
            .line(lists.waysIntro),
            .section("your-ways", lists.yours, [.rows(rows)]),
            others.isEmpty ? nil : .form(form, [ways]),
            others.isEmpty ? nil : .note(lists.addWhat),
        ])
    }
}

extension SignInMethodsPage {
    private static let samples = [
        Linked(
            id: "1",
            label: .google,
            email: "ann@example.com",
            addedAt: 1_798_800_000
        ),
        Linked(id: "2", label: .facebook, addedAt: 1_800_000_000),
    ]

    package static let gallery: [GalleryState] = [
        state("two ways", samples),
        state("only one", Array(samples.prefix(1))),
        state(
            "only one that works",
            [
                samples[0],
                Linked(id: "2", label: .facebook, addedAt: 1_800_000_000, isUsable: false),
            ]
        ),
        state("nothing to add", samples, others: []),
        state("added", samples, status: .added(.facebook)),
        state("removed", Array(samples.prefix(1)), status: .removed(.facebook)),
        state("last one refused", Array(samples.prefix(1)), lastOneRefused: true),
        state("stopped", Array(samples.prefix(1)), notAdded: .cancelled(.facebook)),
        state(
            "not answering",
            Array(samples.prefix(1)),
            others: [
                SignInMethod(name: "facebook", label: .facebook, isNotResponding: true), .apple,
                .example,
            ],
            notAdded: .notAnswering(.facebook)
        ),
    ]

    private static func state(
        _ name: String,
        _ linked: [Linked],
        others: [SignInMethod]? = nil,
        status: Status? = nil,
        lastOneRefused: Bool = false,
        notAdded: ChooseMethodPage.Problem? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            SignInMethodsPage(
                linked: linked,
                others: others ?? Array(SignInMethod.samples.dropFirst(linked.count)),
                form: .sample,
                status: status,
                lastOneRefused: lastOneRefused,
                notAdded: notAdded
            )
        )
    }
}
