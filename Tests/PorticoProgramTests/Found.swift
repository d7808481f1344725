import PorticoProtocol
import Testing

/// What a command that looks for faults wrote with `--json`.
struct Found {
    let items: [JSONObject]
    let status: Int32

    init(_ outcome: PorticoProcess.Outcome) throws {
        let json = try outcome.json
        items = try #require(json.array("items")).compactMap(\.object)
        status = outcome.status
    }

    func all(_ result: String) -> [JSONObject] {
        items.filter { $0.string("result") == result }
    }

    /// Whether exactly one thing is wrong, and what is said of it.
    func expectProblem(
        _ text: String,
        fix: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let problems = all("problem")
        #expect(status == 10, sourceLocation: sourceLocation)
        #expect(problems.count == 1, "\(problems)", sourceLocation: sourceLocation)
        #expect(
            problems.first?.string("text")?.contains(text) == true,
            "\(problems)",
            sourceLocation: sourceLocation
        )
        #expect(
            problems.first?.string("fix")?.contains(fix) == true,
            "\(problems)",
            sourceLocation: sourceLocation
        )
    }
}
