/// What the `ways` template reads: the ways to sign in, in the order that the operator set.
struct WaysBlock: Sendable {
    struct Button: Sendable {
        let wayName: String
        /// Where this button sends the form, where that is not the form's own address.
        let formAction: String?
        /// The name of the field that says which way it was, in a form of one address.
        let fieldName: String?
        let look: String
        let artwork: String?
        let wayLabel: Phrase
        let lastUsed: Phrase?
        let notResponding: Phrase?
    }

    let waysTitle: Phrase
    let wayButtons: [Button]

    /// - Parameter posts: The form has one address, and the button's `way` says which one it was.
    init(
        _ ways: [Way],
        title: Phrase,
        posts: Bool,
        _ words: WayWords,
        _ theme: PageTheme
    ) {
        waysTitle = title
        wayButtons = ways.map { way in
            let artwork = theme.artwork(of: way.label.kind)
            let tag = "way-\(way.label.kind.rawValue)"
            return Button(
                wayName: way.name,
                formAction: posts ? nil : way.action,
                fieldName: posts ? "way" : nil,
                look: artwork == nil ? "button second way" : "button way branded \(tag)",
                artwork: artwork?.href,
                wayLabel: words.button(way.label),
                lastUsed: way.isLastUsed ? words.lastUsed : nil,
                notResponding: way.isNotResponding ? words.notResponding : nil
            )
        }
    }
}
