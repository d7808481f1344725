import PorticoBytes

extension HTML {
    /// The sign-in methods, in the order that the operator set.
    ///
    /// - Parameter posts: The form has one address, and the button's `way` says which one it was.
    static func methods(
        _ methods: [SignInMethod],
        title: Phrase,
        posts: Bool,
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
                HTML(methods.map { .element(.li, .method($0, posts: posts, words, theme)) })
            )
        )
    }

    private static func method(
        _ method: SignInMethod,
        posts: Bool,
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
            ],
            artwork.map { .element(.img, to: $0, [.alt: "", .width: "20", .height: "20"]) },
            .element(.span, words.button(method.label).html),
            .tag(method.isLastUsed ? words.lastUsed : nil),
            .tag(method.isNotResponding ? words.notResponding : nil)
        )
    }
}
