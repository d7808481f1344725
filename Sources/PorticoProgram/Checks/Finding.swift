import PorticoProtocol

/// One thing that was checked, and the result.
struct Finding: Hashable, Sendable {
    enum Mark: String, Sendable {
        case passed = "✓"
        /// Worth knowing; nothing to fix, or not from here.
        case note = "!"
        case problem = "✗"
    }

    let mark: Mark
    /// What was checked: a word or two.
    let subject: String
    let text: String
    /// The fix: a command or a line.
    var fix: String?

    static func passed(_ subject: String, _ text: String) -> Finding {
        Finding(mark: .passed, subject: subject, text: text)
    }

    static func note(_ subject: String, _ text: String, fix: String? = nil) -> Finding {
        Finding(mark: .note, subject: subject, text: text, fix: fix)
    }

    /// A problem always comes with a fix.
    static func problem(_ subject: String, _ text: String, fix: String) -> Finding {
        Finding(mark: .problem, subject: subject, text: text, fix: fix)
    }

    /// As one of several findings about `subject`; what was checked moves into the text.
    func under(_ subject: String) -> Finding {
        Finding(mark: mark, subject: subject, text: "\(self.subject): \(text)", fix: fix)
    }

    var json: JSONObject {
        let result =
            switch mark {
            case .passed: "passed"
            case .note: "note"
            case .problem: "problem"
            }
        return [
            "check": .string(subject),
            "result": .string(result),
            "text": .string(text),
            "fix": fix.map(JSONValue.string) ?? .null,
        ]
    }
}

/// Findings under headings.
struct Findings: Sendable {
    private(set) var groups: [(title: String, findings: [Finding])] = []

    mutating func add(_ title: String, _ findings: [Finding]) {
        guard !findings.isEmpty else { return }
        groups.append((title, findings))
    }

    private var all: [Finding] { groups.flatMap(\.findings) }

    func count(_ mark: Finding.Mark) -> Int {
        all.count { $0.mark == mark }
    }

    var json: JSONObject {
        [
            "items": .array(
                groups.flatMap { group in
                    group.findings.map { finding -> JSONValue in
                        var item: JSONObject = ["group": .string(group.title)]
                        for (name, value) in finding.json { item[name] = value }
                        return .object(item)
                    }
                }
            ),
            "passed": .integer(Int64(count(.passed))),
            "notes": .integer(Int64(count(.note))),
            "problems": .integer(Int64(count(.problem))),
        ]
    }

    var summary: String {
        "\(count(.passed)) passed · \(count(.note).counting("note")) · "
            + count(.problem).counting("problem")
    }

    /// Sets the exit code, too.
    var failure: Failure? {
        let problems = count(.problem)
        guard problems > 0 else { return nil }
        return Failure(
            .problemsFound,
            problems == 1 ? "One problem was found." : "\(problems) problems were found.",
            "Each is listed with its fix."
        )
    }

    fileprivate func lines(_ console: Console) -> [String] {
        let width = all.map(\.subject.count).max() ?? 0
        return groups.flatMap { group in
            [group.title]
                + group.findings.flatMap { finding -> [String] in
                    let subject = printable(finding.subject)
                    let padding = String(repeating: " ", count: max(0, width - subject.count) + 2)
                    let mark = console.dataMark(finding.mark)
                    var lines = ["  \(mark) \(subject)\(padding)\(printable(finding.text))"]
                    if let fix = finding.fix { lines.append("      fix: \(printable(fix))") }
                    return lines
                }
        }
    }

    fileprivate var plain: String {
        groups.flatMap { group in
            group.findings.map { finding in
                [
                    group.title, finding.json.string("result") ?? "", finding.subject,
                    finding.text, finding.fix ?? "",
                ].map(printable).joined(separator: "\t")
            }
        }.joined(separator: "\n")
    }
}

extension Console {
    func show(_ findings: Findings, _ options: ReadOptions) throws(Failure) {
        if options.json {
            try data(findings.json.serialized())
        } else if options.plain {
            try data(findings.plain)
        } else {
            try data(findings.lines(self).joined(separator: "\n"))
            say(findings.summary)
        }
    }

    /// Colour only on a terminal; the sign alone says enough.
    fileprivate func dataMark(_ mark: Finding.Mark) -> String {
        guard showsDataOnTerminal else { return mark.rawValue }
        return switch mark {
        case .passed: coloured(mark.rawValue, .green)
        case .note: coloured(mark.rawValue, .yellow)
        case .problem: coloured(mark.rawValue, .red)
        }
    }
}
