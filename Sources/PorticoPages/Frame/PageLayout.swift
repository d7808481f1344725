import PorticoBytes

/// The frame around a page's content: what all pages share.
struct PageLayout {
    let page: any Page
    let language: Language
    let frame: PageFrame
    private let words: Words

    init(page: any Page, language: Language, frame: PageFrame) {
        self.page = page
        self.language = language
        self.frame = frame
        words = language.words
    }

    var html: HTML {
        let heading = page.heading(words, frame)
        let summary = page.problems(words)
        let prefix = summary != nil || page.isError ? words.common.errorPrefix.plain + " " : ""
        return .document(
            language: language.tag,
            direction: language.direction,
            head: head(title: "\(prefix)\(heading.plain) – \(ShownText(frame.owner).text)"),
            body: .element(
                .body,
                [.class: page.isWide ? "wide" : nil],
                top,
                page.navigation?.html(words),
                .element(
                    .main,
                    [.class: "card"],
                    summary?.html,
                    .element(.h1, heading.html),
                    page.content(words, frame)
                ),
                foot,
                page.script.map { HTML([PressedButton.status(words.common), .script($0)]) }
            )
        )
    }

    private func head(title: String) -> HTML {
        HTML([
            .element(.title, .text(title)),
            .meta("viewport", "width=device-width, initial-scale=1"),
            .meta("color-scheme", "light dark"),
            .meta("robots", "noindex"),
            .element(.link, to: PageTheme.icon, [.rel: "icon"]),
            .style(frame.theme.style),
        ])
    }

    private var top: HTML {
        let notice: Phrase? =
            switch frame.notice {
            case .withoutHTTPS: words.common.withoutHTTPS
            case nil: nil
            }
        return .element(
            .header,
            [.class: "top"],
            notice.map { .element(.p, [.class: "notice"], $0.html) },
            .element(
                .p,
                [.class: "owner"],
                frame.theme.logo.map { .element(.img, to: $0, [.class: "logo", .alt: ""]) }
                    ?? .mark(ShownText(initialOf: frame.owner)),
                .text(" "),
                .isolated(ShownText(frame.owner))
            )
        )
    }

    private var foot: HTML {
        .element(
            .footer,
            [.class: "foot", .ariaLabel: words.common.aboutThisPage.plain],
            frame.reference.map { reference in
                .element(
                    .p,
                    words.common.reference.html,
                    .text(" "),
                    .exact(ShownText(reference), "reference")
                )
            },
            frame.help.map { help in
                .element(.p, .element(.a, to: help, [.class: "foot-link"], words.common.help.html))
            }
        )
    }
}
