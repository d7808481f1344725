/// One line of text to fill in.
struct FieldBlock: Sendable {
    /// What the field is for, which decides what a browser offers (WCAG 1.3.5).
    enum Kind: Sendable {
        case email, name, givenName, familyName, code, newPassword, password
        /// The name to sign in with, to be typed.
        case signIn
        /// An internet handle (AT Protocol).
        case handle
        /// A name to sign in with that is chosen now.
        case newUserName
        /// The name to sign in with, for the password manager.
        case userName
        /// Not to be filled in: an address to copy, for instance.
        case shown
        /// A word to be typed again.
        case word
        /// Letters and digits from a list that was written down.
        case recoveryCode
    }

    /// What an address looks like, in a sentence.
    static let exampleEmail = "name@example.com"

    let id: String
    let label: Phrase
    let type: String
    let value: String?
    let hint: Phrase?
    let problem: Phrase?
    let describedBy: String?
    let autocomplete: String?
    let inputmode: String?
    /// Neither capitals nor spelling are corrected.
    let isExact: Bool
    let direction: String?
    let isFixed: Bool
    let isRequired: Bool
    let isWrong: Bool
    let startsHere: Bool

    /// - Parameters:
    ///   - isFixed: It can be read and is sent, but not changed.
    ///   - shared: The `id` of the field whose problem is this one's too.
    ///   - startsHere: The focus is put here, unless something has to be put right first.
    init(
        _ id: String,
        _ kind: Kind,
        label: Phrase,
        value: String? = nil,
        hint: Phrase? = nil,
        problem: Phrase? = nil,
        sharingProblemOf shared: String? = nil,
        isFixed: Bool = false,
        isRequired: Bool = true,
        startsHere: Bool = false
    ) {
        self.id = id
        self.label = label
        self.value = value
        self.hint = hint
        self.problem = problem
        let about = [
            hint.map { _ in "\(id)-hint" }, problem.map { _ in "\(id)-problem" },
            shared.map { "\($0)-problem" },
        ]
        let ids = about.compactMap(\.self)
        describedBy = ids.isEmpty ? nil : ids.joined(separator: " ")
        let isShown = kind == .shown || kind == .userName
        self.isFixed = isFixed || isShown
        isWrong = problem != nil || shared != nil
        self.isRequired = isRequired && !isShown
        self.startsHere = startsHere && problem == nil
        switch kind {
        case .email: (type, autocomplete, inputmode) = ("email", "email", nil)
        case .name: (type, autocomplete, inputmode) = ("text", "name", nil)
        case .givenName: (type, autocomplete, inputmode) = ("text", "given-name", nil)
        case .familyName: (type, autocomplete, inputmode) = ("text", "family-name", nil)
        case .code: (type, autocomplete, inputmode) = ("text", "one-time-code", "numeric")
        case .newPassword: (type, autocomplete, inputmode) = ("password", "new-password", nil)
        case .password: (type, autocomplete, inputmode) = ("password", "current-password", nil)
        case .signIn: (type, autocomplete, inputmode) = ("text", "username", "email")
        case .handle: (type, autocomplete, inputmode) = ("text", "username", "url")
        case .userName, .newUserName: (type, autocomplete, inputmode) = ("text", "username", nil)
        case .recoveryCode: (type, autocomplete, inputmode) = ("text", "one-time-code", nil)
        case .shown, .word: (type, autocomplete, inputmode) = ("text", nil, nil)
        }
        isExact = ![.name, .givenName, .familyName, .password].contains(kind)
        switch kind {
        case .name, .givenName, .familyName, .newUserName, .word, .signIn: direction = "auto"
        case .password: direction = nil
        case .email, .code, .newPassword, .userName, .handle, .shown, .recoveryCode:
            direction = "ltr"
        }
    }
}
