import PorticoProtocol
import PorticoStores

/// What is shown of one thing: fields under each other for people, an object for programs.
struct Description {
    var json: JSONObject
    var fields: [(name: String, value: String?)]

    var text: String {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let padding = String(repeating: " ", count: width - field.name.count + 2)
            return field.name + padding + (field.value.map(printable) ?? "–")
        }.joined(separator: "\n")
    }
}

extension Console {
    func show(_ description: Description, _ options: ReadOptions) throws(Failure) {
        if options.json {
            try data(description.json.serialized())
        } else if options.plain {
            try data(
                description.fields
                    .map { "\($0.name)\t\($0.value.map(printable) ?? "")" }
                    .joined(separator: "\n")
            )
        } else {
            try data(description.text)
        }
    }

    /// A value that the command generated, and that can be shown again: alone on stdout.
    func made(_ label: String, _ value: String) throws(Failure) {
        if showsDataOnTerminal { ask("\(label): ") }
        do {
            try data(value)
        } catch {
            throw Failure(
                .output,
                error.what,
                "It was made all the same; only this answer is lost."
            )
        }
    }

    /// A secret that is shown only once: alone on stdout. To be called before it is in use, so that none
    /// is that could not be shown.
    func secret(_ value: String) throws(Failure) {
        if showsDataOnTerminal { ask("Secret: ") }
        do {
            try data(value)
        } catch {
            throw Failure(.output, error.what, "Nothing was changed: the secret is not in use.")
        }
    }
}

/// `yes`, `no`.
func yesNo(_ value: Bool) -> String {
    value ? "yes" : "no"
}

/// Several values on one line, or nothing.
func joined(_ values: [String]) -> String? {
    values.isEmpty ? nil : values.joined(separator: " ")
}
