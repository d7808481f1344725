import PorticoSystem

/// Rows under headers in capitals, without borders.
struct Table {
    let headers: [String]
    /// A `nil` field is empty: `–` for people, nothing for programs.
    var rows: [[String?]] = []

    init(_ headers: String...) {
        self.headers = headers
    }

    /// - Parameter width: Of the terminal; the right-most column is cut to fit. `nil`: no cut.
    func text(width: Int?) -> String {
        let cells = [headers] + rows.map { $0.map { $0.map(printable) ?? "–" } }
        let widths = headers.indices.map { column in
            cells.map { $0[column].count }.max() ?? 0
        }
        return cells.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                guard column < row.count - 1 else {
                    line += Self.cut(cell, to: width.map { $0 - line.count })
                    break
                }
                line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return line
        }.joined(separator: "\n")
    }

    /// Fields with tabs between, for programs.
    var plain: String {
        rows.map { $0.map { $0.map(printable) ?? "" }.joined(separator: "\t") }
            .joined(separator: "\n")
    }

    private static func cut(_ cell: String, to width: Int?) -> String {
        guard let width, cell.count > width, width > 8 else { return cell }
        return cell.prefix(width - 1) + "…"
    }

    /// Columns of the terminal that data goes to.
    static var terminalWidth: Int? {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
            size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }
}
