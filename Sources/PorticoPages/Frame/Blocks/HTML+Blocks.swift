package import PorticoBytes

/// The parts that pages are put together from.
extension HTML {
    /// A sentence below the heading.
    static func line(_ text: Phrase) -> HTML { paragraph("lead", text) }

    static func lines(_ texts: [Phrase]) -> [HTML] { texts.map { .line($0) } }

    /// A sentence in small type.
    static func note(_ text: Phrase) -> HTML { paragraph("lead note", text) }

    /// A sentence that must not be overlooked.
    static func strong(_ text: Phrase) -> HTML { paragraph("strong", text) }

    /// What has just been done (WCAG 4.1.3).
    static func status(_ text: Phrase?) -> HTML? {
        text.map { .element(.p, [.class: "status", .role: "status"], $0.html) }
    }

    static func paragraph(_ look: String?, _ text: Phrase) -> HTML {
        .element(.p, [.class: look], text.html)
    }

    static func section(_ id: String, _ title: Phrase, _ content: [HTML?]) -> HTML {
        .element(
            .section,
            [.ariaLabelledBy: id],
            .element(.h2, [.id: id], title.html),
            HTML(content)
        )
    }

    /// Sentences of equal weight.
    static func points(_ points: [Phrase]) -> HTML { list("points", points) }

    static func list(_ look: String, _ items: [Phrase]) -> HTML {
        .element(.ul, [.class: look], HTML(items.map { .element(.li, $0.html) }))
    }

    /// A code to be typed elsewhere.
    static func code(_ code: String) -> HTML {
        .element(.p, [.class: "code"], .exact(ShownText(code)))
    }

    /// A QR code, dark on light in every colour scheme, with four light modules around it (ISO/IEC 18004
    /// §6.3.8).
    ///
    /// - Parameter label: What it is, for those who do not see it.
    static func qrCode(_ code: QRCode, _ label: Phrase) -> HTML {
        var path = ""
        for y in 0..<code.size {
            var x = 0
            while x < code.size {
                let start = x
                while x < code.size, code.isDark(x, y) { x += 1 }
                if x > start { path += "M\(start + 4) \(y + 4)h\(x - start)v1h-\(x - start)z" }
                x += 1
            }
        }
        let side = code.size + 8
        return .element(
            .div,
            [.class: "qr"],
            .element(
                .svg,
                [
                    .xmlns: "http://www.w3.org/2000/svg", .viewBox: "0 0 \(side) \(side)",
                    .role: "img", .ariaLabel: label.plain,
                ],
                .element(.path, [.fill: "#fff", .d: "M0 0h\(side)v\(side)h-\(side)z"]),
                .element(.path, [.fill: "#000", .d: path])
            )
        )
    }

    /// Names and what they are.
    static func facts(_ facts: [Fact?]) -> HTML {
        let rows = facts.compactMap(\.self).map { fact in
            HTML.element(.div, .element(.dt, fact.term.html), .element(.dd, fact.fact.html))
        }
        return .element(.dl, [.class: "facts"], HTML(rows))
    }

    struct Fact {
        let term: Phrase
        let fact: Phrase

        init(_ term: Phrase, _ fact: Phrase) {
            self.term = term
            self.fact = fact
        }
    }

    /// A name from outside: in another writing direction it leaves the words beside it as they are.
    static func isolated(_ name: ShownText, _ look: String? = nil) -> HTML {
        .element(.bdi, [.class: look], .text(name.text))
    }

    /// An address or code: read from left to right in every language, and on one line where it fits into
    /// one (WCAG 1.4.10).
    static func exact(_ text: ShownText, _ look: String = "whole") -> HTML {
        .element(.bdi, [.dir: "ltr", .class: look], .text(text.text))
    }

    /// Words that are read out and not shown.
    static func unseen(_ text: Phrase) -> HTML {
        .element(.span, [.class: "unseen"], text.html)
    }

    /// A letter in a disc, in the place of a picture.
    static func mark(_ initial: ShownText) -> HTML {
        .element(.span, [.class: "mark", .ariaHidden: "true"], .text(initial.text))
    }

    static func tag(_ text: Phrase?) -> HTML? {
        text.map { HTML([.text(" "), .element(.span, [.class: "tag"], $0.html)]) }
    }

    static func account(_ account: PageAccount) -> HTML {
        let name = account.name ?? account.userName
        return .element(
            .p,
            [.class: "account"],
            .mark(ShownText(initialOf: name)),
            .text("\n"),
            .element(
                .span,
                [.class: "who"],
                .isolated(ShownText(name), "name"),
                // Left out where it would only repeat the name.
                account.name == nil ? nil : .text(" "),
                account.name == nil ? nil : .isolated(ShownText(account.userName), "quiet")
            )
        )
    }
}

extension Phrase {
    package var html: HTML {
        HTML(
            pieces.flatMap { piece in
                [
                    HTML.text(piece.text), piece.isolated.map { .isolated($0) },
                    piece.exact.map { .exact($0) },
                ]
            }
        )
    }
}

extension HTML {
    /// The sign-in methods, in the order that the operator set.
    ///
    /// - Parameters:
    ///   - posts: The form has one address, and the button's `way` says which one it was.
    ///   - skippingChecks: The buttons send the form although fields are empty.
    static func methods(
        _ methods: [SignInMethod],
        title: Phrase,
        posts: Bool,
        skippingChecks: Bool = false,
        _ words: MethodWords,
        _ theme: PageTheme
    ) -> HTML {
        .element(
            .section,
            [.ariaLabelledBy: "ways-title"],
            .element(.h2, [.class: "ways-title", .id: "ways-title"], title.html),
            .element(
                .ul,
                [.class: "ways"],
                HTML(
                    methods.map {
                        .element(
                            .li,
                            .method($0, posts: posts, skippingChecks: skippingChecks, words, theme)
                        )
                    }
                )
            )
        )
    }

    private static func method(
        _ method: SignInMethod,
        posts: Bool,
        skippingChecks: Bool,
        _ words: MethodWords,
        _ theme: PageTheme
    ) -> HTML {
        let kind = method.label.kind
        let artwork = theme.artwork(of: kind)
        return .element(
            .button,
            // Where this button sends the form, where that is not the form's own address.
            to: posts ? nil : PageLink(path: method.action),
            [
                .class: artwork == nil
                    ? "button second way" : "button way branded way-\(kind.rawValue)",
                .type: "submit",
                .name: posts ? "way" : nil,
                .value: posts ? method.name : nil,
                .formnovalidate: skippingChecks ? "" : nil,
            ],
            artwork.map { .element(.img, to: $0, [.alt: "", .width: "20", .height: "20"]) },
            .element(.span, words.button(method.label).html),
            .tag(method.isLastUsed ? words.lastUsed : nil),
            .tag(method.isNotResponding ? words.notResponding : nil)
        )
    }
}

/// A button that sends its form; the form's `action` (or another name) says which one it was.
struct ActionButton: Sendable {
    enum Look: String, Sendable {
        case first = "button"
        case second = "button second"
        /// One of two equal choices.
        case choice = "button choice"
        /// Looks like a link.
        case plain = "button plain"
        /// Takes something away for good.
        case danger = "button danger"
    }

    let name: String
    let value: String
    let label: Phrase
    let look: Look
    /// Sends the form although fields are empty.
    let isWayOut: Bool
    /// The `id` of what it is about, where its own words do not say that.
    private(set) var about: String?
    /// What a screen reader says behind its words.
    private(set) var unseen: Phrase?

    init(
        _ value: String,
        _ label: Phrase,
        _ look: Look = .second,
        name: String = "action",
        isWayOut: Bool = false
    ) {
        self.name = name
        self.value = value
        self.label = label
        self.look = look
        self.isWayOut = isWayOut
    }

    func saying(_ unseen: Phrase?) -> ActionButton {
        var button = self
        button.unseen = unseen
        return button
    }

    func describedBy(_ id: String) -> ActionButton {
        var button = self
        button.about = id
        return button
    }
}
