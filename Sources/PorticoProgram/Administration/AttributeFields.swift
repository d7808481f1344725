import ArgumentParser

/// Attributes of a person or a group.
struct AttributeFields: ParsableArguments {
    @Option(
        name: .customLong("attribute"),
        help: .value(
            "name=value",
            "Another attribute. Repeat for several, even with one name; NAME= removes it."
        )
    )
    var attributes: [String] = []

    func validate() throws {
        for attribute in attributes where !attribute.dropFirst().contains("=") {
            throw ValidationError("--attribute must be written as NAME=VALUE.")
        }
    }

    func apply(to kept: inout [String: [String]]) {
        for (name, values) in named { kept[name] = values.isEmpty ? nil : values }
    }

    private var named: [String: [String]] {
        var named: [String: [String]] = [:]
        for attribute in attributes {
            let parts = attribute.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2 else { continue }
            named[String(parts[0]), default: []] += parts[1].isEmpty ? [] : [String(parts[1])]
        }
        return named
    }
}
