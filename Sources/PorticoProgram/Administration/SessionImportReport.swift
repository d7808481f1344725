import PorticoBackend
import PorticoProtocol

/// What became of each line of a file of sessions. Nothing of a line is in it but its number.
struct SessionImportReport {
    let clientID: String
    private(set) var taken = 0
    private var known = 0
    private var refused: [HandleSessionImport.Refusal: (count: Int, lines: [Int])] = [:]

    /// Of so many lines with one reason the numbers are kept.
    private static let most = 100

    /// - Parameter clientID: Whose sessions they become.
    init(clientID: String) { self.clientID = clientID }

    var refusals: Int { refused.values.reduce(0) { $0 + $1.count } }

    mutating func add(_ outcome: HandleSessionImport.Outcome, line: Int) {
        switch outcome {
        case .taken: taken += 1
        case .known: known += 1
        case .refused(let refusal):
            var lines = refused[refusal]?.lines ?? []
            if lines.count < Self.most { lines.append(line) }
            refused[refusal] = ((refused[refusal]?.count ?? 0) + 1, lines)
        }
    }

    /// In the order of the reasons.
    private var reasons: [(refusal: HandleSessionImport.Refusal, count: Int, lines: [Int])] {
        HandleSessionImport.Refusal.allCases.compactMap { refusal in
            refused[refusal].map { (refusal, $0.count, $0.lines) }
        }
    }

    var table: Table {
        var table = Table("OUTCOME", "COUNT", "LINES", "WHY")
        table.rows =
            [["taken", "\(taken)", nil, nil], ["here already", "\(known)", nil, nil]]
            + reasons.map { reason in
                let rest = reason.count - reason.lines.count
                let lines =
                    reason.lines.map(String.init) + (rest > 0 ? ["and \(rest) more"] : [])
                return [
                    "not taken", "\(reason.count)", lines.joined(separator: ", "),
                    reason.refusal.description,
                ]
            }
        return table
    }

    var json: JSONValue {
        [
            "client_id": .string(clientID),
            "taken": .integer(Int64(taken)),
            "here_already": .integer(Int64(known)),
            "not_taken": .array(
                reasons.map { reason in
                    [
                        "reason": .string(reason.refusal.description),
                        "count": .integer(Int64(reason.count)),
                        "lines": .array(reason.lines.map { .integer(Int64($0)) }),
                    ]
                }
            ),
        ]
    }
}
