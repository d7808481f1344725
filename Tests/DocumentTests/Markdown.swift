import Foundation

/// As much of a Markdown file as a test asks for.
struct Markdown {
    struct Block {
        let language: String
        let lines: [String]
    }

    /// The path of the file, from the project's root.
    let path: String
    let text: String
    /// Fenced code.
    let blocks: [Block]
    /// What stands between two backticks, outside of fenced code.
    let spans: [String]
    /// The targets of links.
    let links: [String]

    init(_ path: String) throws {
        self.path = path
        text = try Project.text(path)
        var blocks: [Block] = []
        var prose: [String] = []
        var open: (language: String, lines: [String])?
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(Block(language: block.language, lines: block.lines))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [])
                }
            } else if open != nil {
                open?.lines.append(line)
            } else {
                prose.append(line)
            }
        }
        self.blocks = blocks
        let rest = prose.joined(separator: "\n").replacing("``", with: "`")
        spans = rest.matches(of: /`([^`]+)`/).map {
            $0.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        links = rest.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
    }

    static func all() throws -> [Markdown] {
        try Project.documents.map(Markdown.init)
    }

    /// The rows of the tables below a heading, without their headers.
    func rows(below heading: String) -> [[String]] {
        let lines = text.components(separatedBy: "\n")
        guard let start = lines.firstIndex(where: { $0.hasPrefix(heading) }) else { return [] }
        let level = heading.prefix { $0 == "#" }.count
        let section = lines[(start + 1)...].prefix {
            !$0.hasPrefix("#") || $0.prefix { $0 == "#" }.count > level
        }
        return section.indices
            .filter { index in
                let isHeader = section[index...].dropFirst().first?.hasPrefix("|---") == true
                let line = section[index]
                return line.hasPrefix("|") && !line.hasPrefix("|---") && !isHeader
            }
            .map { index in
                section[index].dropFirst().dropLast()
                    .split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
    }

    /// The commands that a reader is shown: in consoles, and between backticks.
    var commands: [String] {
        let typed = blocks.filter { $0.language == "console" }.flatMap(\.lines)
            .filter { $0.hasPrefix("$ ") }
            .map { String($0.dropFirst(2)).replacing(/\s+#.*/, with: "") }
        return typed + spans
    }
}
