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
