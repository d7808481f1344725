import PorticoBytes

/// Forms, and what stands in them.
extension HTML {
    /// Posts to a path of ours.
    static func form(_ form: PageForm, _ content: [HTML?]) -> HTML {
        .element(
            .form,
            to: form,
            [.method: "post"],
            form.request.map { .hidden("request", $0) },
            .hidden("csrf", form.csrf),
            .hidden(form.fields),
            HTML(content)
        )
    }

    static func hidden(_ name: String, _ value: String) -> HTML {
        HTML([.element(.input, [.type: "hidden", .name: name, .value: value]), .text("\n")])
    }

    static func hidden(_ fields: [PageField]) -> HTML {
        HTML(fields.map { .hidden($0.name, $0.value) })
    }

    static func field(_ field: FieldBlock) -> HTML {
        let id = field.id
        return .element(
            .div,
            [.class: "field"],
            .element(.label, [.for: id], field.label.html),
            field.hint.map { .element(.p, [.class: "hint", .id: "\(id)-hint"], $0.html) },
            field.problem.map { .problem($0, about: id) },
            .element(
                .input,
                [
                    .type: field.type,
                    .id: id,
                    .name: id,
                    .value: field.value,
                    .autocomplete: field.autocomplete,
                    .inputmode: field.inputmode,
                    .autocapitalize: field.isExact ? "none" : nil,
                    .spellcheck: field.isExact ? "false" : nil,
                    .dir: field.direction,
                    .required: field.isRequired ? "" : nil,
                    .readonly: field.isFixed ? "" : nil,
                    .autofocus: field.startsHere ? "" : nil,
                    .ariaInvalid: field.isWrong ? "true" : nil,
                    .ariaDescribedBy: field.describedBy,
                ]
            )
        )
    }

    /// What is wrong with a field, beside it (WCAG 3.3.1).
    private static func problem(_ text: Phrase, about id: String) -> HTML {
        .element(.p, [.class: "problem", .id: "\(id)-problem"], text.html)
    }

    /// A box to tick.
    static func check(
        _ name: String,
        _ label: Phrase,
        isChecked: Bool = false,
        isRequired: Bool = false,
        problem: Phrase? = nil
    ) -> HTML {
        .element(
            .div,
            [.class: "check"],
            problem.map { .problem($0, about: name) },
            .element(
                .label,
                [.class: "tick", .for: name],
                .element(
                    .input,
                    [
                        .type: "checkbox", .id: name, .name: name, .value: "1",
                        .checked: isChecked ? "" : nil,
                        .required: isRequired ? "" : nil,
                        .ariaInvalid: problem.map { _ in "true" },
                        .ariaDescribedBy: problem.map { _ in "\(name)-problem" },
                    ]
                ),
                .text(" "),
                .element(.span, label.html)
            )
        )
    }

    /// Buttons below each other.
    static func buttons(_ buttons: [ActionButton?]) -> HTML {
        .element(.div, [.class: "actions"], HTML(buttons.map { $0?.html }))
    }

    /// Two buttons of one kind, side by side where there is room.
    static func pair(_ one: ActionButton, _ other: ActionButton) -> HTML {
        .element(.div, [.class: "actions pair"], one.html, other.html)
    }
}

extension ActionButton {
    var html: HTML {
        .element(
            .button,
            [
                .class: look.rawValue, .type: "submit", .name: name, .value: value,
                .ariaDescribedBy: about,
                .formnovalidate: isWayOut ? "" : nil,
            ],
            label.html,
            unseen.map(HTML.unseen)
        )
    }
}

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

/// Says at once that a button was pressed, and sends a form once: a slow answer tempts people to press
/// again. Without scripts nothing is different: a form that came twice is understood
/// (docs/decisions/0151).
enum PressedButton {
    /// Runs on every page that has no script of its own. It reads nothing of the page, and sends nothing.
    /// A form may lead to an app, after which the page is still there: the button can be pressed again
    /// after ten seconds, or when the person comes back to the page.
    static let script = InlineSource(
        unescaped: """
            (function () {
              var pressed = null, isSent = false;
              function again() {
                if (pressed) pressed.removeAttribute("aria-busy");
                var said = document.getElementById("sending");
                if (said) said.firstElementChild.hidden = true;
                pressed = null;
                isSent = false;
              }
              addEventListener("submit", function (event) {
                if (isSent) { event.preventDefault(); return; }
                isSent = true;
                pressed = event.submitter;
                if (pressed) pressed.setAttribute("aria-busy", "true");
                var said = document.getElementById("sending");
                if (said) said.firstElementChild.hidden = false;
                setTimeout(again, 10000);
              });
              addEventListener("pageshow", function (event) { if (event.persisted) again(); });
            })();
            """
    )

    /// Where a screen reader hears it.
    static func status(_ words: CommonWords) -> HTML {
        .element(
            .p,
            [.class: "unseen", .id: "sending", .role: "status"],
            .element(.span, [.hidden: ""], words.sending.html)
        )
    }
}
