/// What the `form` template reads.
struct FormBlock: Sendable {
    let form: PageForm
    let blocks: [Block]
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

    let buttonName: String
    let buttonValue: String
    let label: Phrase
    let look: String
    /// The `id` of what it is about, where its own words do not say that.
    let about: String?
    /// Sends the form although fields are empty.
    let isWayOut: Bool

    init(
        _ value: String,
        _ label: Phrase,
        _ look: Look = .second,
        name: String = "action",
        isWayOut: Bool = false
    ) {
        self.init(name, value, label, look.rawValue, about: nil, isWayOut: isWayOut)
    }

    private init(
        _ name: String,
        _ value: String,
        _ label: Phrase,
        _ look: String,
        about: String?,
        isWayOut: Bool
    ) {
        buttonName = name
        buttonValue = value
        self.label = label
        self.look = look
        self.about = about
        self.isWayOut = isWayOut
    }

    func describedBy(_ id: String) -> ActionButton {
        Self(buttonName, buttonValue, label, look, about: id, isWayOut: isWayOut)
    }
}

/// What the `buttons` template reads.
struct ButtonsBlock: Sendable {
    let buttons: [ActionButton]
    let row: String
}

/// What the `check` template reads: a box to tick.
struct CheckBlock: Sendable {
    let checkName: String
    let checkLabel: Phrase
    let isChecked: Bool
    let isRequired: Bool
    let checkProblem: Phrase?

    init(
        _ name: String,
        _ label: Phrase,
        isChecked: Bool = false,
        isRequired: Bool = false,
        problem: Phrase? = nil
    ) {
        checkName = name
        checkLabel = label
        self.isChecked = isChecked
        self.isRequired = isRequired
        checkProblem = problem
    }
}

/// What the `field` template reads: one line of text to fill in.
struct FieldBlock: Sendable {
    /// What the field is for, which decides what a browser offers (WCAG 1.3.5).
    enum Kind: Sendable {
        case email, name, code, newPassword, userName
        /// Not to be filled in: an address to copy, for instance.
        case shown
        /// A word to be typed again.
        case word
    }

    let fieldID: String
    let fieldLabel: Phrase
    let type: String
    let fieldValue: String?
    let hint: Phrase?
    let fieldProblem: Phrase?
    let describedBy: String?
    let autocomplete: String?
    let inputmode: String?
    /// Neither capitals nor spelling are corrected.
    let isExact: Bool
    let direction: String
    let isFixed: Bool
    let isRequired: Bool
    let startsHere: Bool

    /// - Parameter startsHere: The focus is put here, unless something has to be put right first.
    init(
        _ id: String,
        _ kind: Kind,
        label: Phrase,
        value: String? = nil,
        hint: Phrase? = nil,
        problem: Phrase? = nil,
        isRequired: Bool = true,
        startsHere: Bool = false
    ) {
        fieldID = id
        fieldLabel = label
        fieldValue = value
        self.hint = hint
        fieldProblem = problem
        let about = [hint.map { _ in "\(id)-hint" }, problem.map { _ in "\(id)-problem" }]
        let ids = about.compactMap(\.self)
        describedBy = ids.isEmpty ? nil : ids.joined(separator: " ")
        isFixed = kind == .shown || kind == .userName
        self.isRequired = isRequired && !isFixed
        self.startsHere = startsHere && problem == nil
        switch kind {
        case .email: (type, autocomplete, inputmode) = ("email", "email", nil)
        case .name: (type, autocomplete, inputmode) = ("text", "name", nil)
        case .code: (type, autocomplete, inputmode) = ("text", "one-time-code", "numeric")
        case .newPassword: (type, autocomplete, inputmode) = ("password", "new-password", nil)
        case .userName: (type, autocomplete, inputmode) = ("text", "username", nil)
        case .shown, .word: (type, autocomplete, inputmode) = ("text", nil, nil)
        }
        isExact = kind != .name
        direction = kind == .name || kind == .word ? "auto" : "ltr"
    }
}
