import Foundation

/// The rows of docs/keycloak-differences.md.
struct DifferenceTable {
    struct Row: Hashable {
        /// The number of the recording, and its note.
        let recording: String
        let request: String
        let keycloak: String
        let portico: String
        let reason: String

        func isOf(_ file: String, _ note: String) -> Bool {
            recording == file && request == note
        }
    }

    let rows: [Row]

    static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/keycloak-differences.md")

    init() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        rows = text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7, Int(cells[1]) != nil else { return nil }
            return Row(
                recording: cells[1],
                request: cells[2],
                keycloak: cells[3],
                portico: cells[4],
                reason: cells[5]
            )
        }
    }
}
