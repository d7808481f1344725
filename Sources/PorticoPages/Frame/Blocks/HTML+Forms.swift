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
        HTML([
            .element(.input, [.type: "hidden", .name: name, .value: value]), .text("\n"),
        ])
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
