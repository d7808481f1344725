import PorticoProtocol
import PorticoStores

/// What is shown of one thing: fields under each other for people, an object for programs.
struct Description {
    let json: JSONObject
    let fields: [(name: String, value: String?)]

    var text: String {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let padding = String(repeating: " ", count: width - field.name.count + 2)
            return field.name + padding + (field.value.map(printable) ?? "–")
        }.joined(separator: "\n")
    }
}

extension Console {
    func show(_ description: Description, _ options: ReadOptions) {
        if options.json {
            data(description.json.serialized())
        } else if options.plain {
            data(
                description.fields
                    .map { "\($0.name)\t\($0.value.map(printable) ?? "")" }
                    .joined(separator: "\n")
            )
        } else {
            data(description.text)
        }
    }

    /// A value that the command generated: alone on stdout.
    func made(_ label: String, _ value: String) {
        if showsDataOnTerminal { ask("\(label): ") }
        data(value)
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
