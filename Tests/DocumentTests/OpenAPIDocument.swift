import Foundation
import Testing

/// As much of docs/openapi.yaml as a test asks for, read line by line: two blanks a level, as it is
/// written.
struct OpenAPIDocument {
    struct Operation: Hashable {
        let path: String
        /// In capitals.
        let method: String
        /// With the path's own lines, such as its parameters.
        let lines: [String]

        var name: String { "\(method) \(path)" }

        /// The value of a member of the operation itself.
        func member(_ name: String) -> String? {
            lines.first { $0.hasPrefix("      \(name):") }
                .map { $0.dropFirst("      \(name):".count).trimmingCharacters(in: .whitespaces) }
        }
    }

    let text: String
    let lines: [String]
    let operations: [Operation]

    private static let methods: Set = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ]

    init(_ path: String = "docs/openapi.yaml") throws {
        text = try Project.text(path)
        lines = text.components(separatedBy: "\n")
        let section = Self.section(["paths"], of: lines)
        operations = Self.blocks(of: section, at: 2).flatMap { path, lines in
            Self.blocks(of: lines, at: 4).filter { Self.methods.contains($0.name) }.map {
                Operation(path: path, method: $0.name.uppercased(), lines: $0.lines)
            }
        }
    }

    /// The names in a section, such as those of `components`, `schemas`.
    func names(in section: String...) -> [String] {
        let indent = section.count * 2
        return Self.blocks(of: Self.section(section, of: lines), at: indent).map(\.name)
    }

    /// The items of the list in a section that are single words.
    func items(in section: String...) -> [String] {
        Self.section(section, of: lines).compactMap {
            $0.wholeMatch(of: /\s+- ([\w-]+)/).map { String($0.1) }
        }
    }

    private static func section(_ names: [String], of lines: [String]) -> [String] {
        names.enumerated().reduce(lines) { lines, name in
            blocks(of: lines, at: name.offset * 2).first { $0.name == name.element }?.lines ?? []
        }
    }

    /// What stands below each name that begins at this column.
    private static func blocks(of lines: [String], at indent: Int) -> [(
        name: String, lines: [String]
    )] {
        var blocks: [(name: String, lines: [String])] = []
        for line in lines where !line.isEmpty {
            let blanks = line.prefix { $0 == " " }.count
            if blanks == indent, let colon = line.lastIndex(of: ":"),
                line[colon...].dropFirst().allSatisfy({ $0 == " " })
            {
                blocks.append((String(line[..<colon].dropFirst(indent)), []))
            } else if blanks == indent, let colon = line.firstIndex(of: ":") {
                blocks.append((String(line[..<colon].dropFirst(indent)), []))
            } else if !blocks.isEmpty {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        return blocks
    }
}

@Suite("The description of the BFF's addresses")
struct OpenAPIDocumentTests {
    private let document: OpenAPIDocument

    init() throws {
        document = try OpenAPIDocument()
        try #require(document.operations.count > 40)
    }

    @Test("every operation has a name of its own, a summary, answers, and says who may ask")
    func operations() {
        let names = document.operations.compactMap { $0.member("operationId") }
        #expect(names.count == document.operations.count)
        #expect(Set(names).count == names.count)
        #expect(Set(document.operations.map(\.name)).count == document.operations.count)
        for operation in document.operations {
            #expect(operation.member("summary")?.isEmpty == false, "\(operation.name)")
            #expect(operation.member("responses") != nil, "\(operation.name)")
        }
    }

    @Test("every parameter in a path is described")
    func parameters() {
        for operation in document.operations {
            for match in operation.path.matches(of: /\{(\w+)\}/) {
                let path = "  \(operation.path):"
                let item = document.lines.drop { $0 != path }.dropFirst()
                    .prefix { $0.isEmpty || $0.hasPrefix("   ") }
                let name = String(match.1)
                let isHere = item.contains { $0.contains("- name: \(name)") }
                let isShared = item.contains {
                    $0.lowercased().contains("#/components/parameters/\(name)\"")
                }
                #expect(isHere || isShared, "\(operation.name): \(name)")
            }
        }
    }

    @Test(
        "every $ref of the API's description leads somewhere, and nothing is described for no one"
    )
    func references() {
        var named: Set<String> = []
        for match in document.text.matches(of: /\$ref: "#\/components\/(\w+)\/(\w+)"/) {
            named.insert("\(match.1) \(match.2)")
        }
        var there: Set<String> = []
        for kind in document.names(in: "components") where kind != "securitySchemes" {
            there.formUnion(document.names(in: "components", kind).map { "\(kind) \($0)" })
        }
        #expect(named == there)
    }

    @Test("every way to prove oneself that an operation names is described")
    func security() {
        let schemes = Set(document.names(in: "components", "securitySchemes"))
        var named: Set<String> = []
        for match in document.text.matches(of: /(?m)^\s+(?:- )?(\w+): \[\]$/) {
            named.insert(String(match.1))
        }
        named.remove("security")
        #expect(named == schemes)
    }

    @Test("no example looks like a secret that is one")
    func examples() {
        // Written apart, not to be found by those who look for the real ones.
        let marks = ["ey" + "J", "-----" + "BEGIN", "GOC" + "SPX", "Fe" + "26"]
        for line in document.lines {
            #expect(!marks.contains { line.contains($0) }, "\(line)")
            for match in line.matches(of: /(?:token|code|nonce|secret)"?: ([\w.~-]{8,})/) {
                let isPlain = match.1.lowercased().hasPrefix("example") || match.1.contains("_")
                #expect(isPlain, "\(line)")
            }
        }
    }
}
