import Foundation
import Testing

/// A comment that refers to what its reader does not have sends them nowhere.
@Suite("What comments and names of tests refer to is there")
struct ReferenceTests {
    /// Comments and names of tests, by the path of their file.
    private static let remarks: [String: String] = {
        var found = Project.scripts.mapValues { comments(in: $0, after: "#") }
        for (path, text) in Project.code { found[path] = comments(in: text, after: "//") }
        for (path, text) in Project.tests {
            found[path] = comments(in: text, after: "//") + names(in: text)
        }
        return found
    }()

    private static func comments(in text: String, after sign: String) -> String {
        var comments = ""
        for line in text.split(separator: "\n") {
            guard let range = line.firstRange(of: sign) else { continue }
            // Neither an address, nor a number sign within a word.
            guard line[..<range.lowerBound].last?.isWhitespace != false else { continue }
            comments += "\n \(line[range.upperBound...])"
        }
        return comments
    }

    private static func names(in text: String) -> String {
        text.matches(of: /@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"/).map { "\n \($0.1)" }.joined()
    }

    /// `0014` for each page of decisions.
    private static let decisions = Set(
        Project.files(below: "docs/decisions", ending: ".md")
            .map { String($0.dropFirst("docs/decisions/".count).prefix { $0 != "-" }) }
    )

    private static func tables() throws -> [String: String] {
        let paths = Project.files(below: "docs/standards", ending: ".tsv")
        return try Dictionary(uniqueKeysWithValues: paths.map { ($0, try Project.text($0)) })
    }

    @Test("every file of docs that a comment or the name of a test refers to is there")
    func documents() {
        for (path, text) in Self.remarks where text.contains("docs/") {
            for match in text.matches(of: /[\s(`"\[](docs\/[\w.\/+-]*)/) {
                var name = String(match.1)
                while name.hasSuffix(".") { name.removeLast() }
                // By its number: the next test.
                guard name.wholeMatch(of: /docs\/decisions\/\d+/) == nil else { continue }
                #expect(Project.exists(name), "\(path): \(name)")
            }
        }
    }

    @Test("a decision is cited by the four digits of its page, or by a link to it")
    func citedDecisions() throws {
        let remarks = Self.remarks.merging(try Self.tables(), uniquingKeysWith: { one, _ in one })
        for (path, text) in remarks where text.contains("ecision") {
            // Several: `docs/decisions/0013 and 0031`.
            for match in text.matches(of: /[Dd]ecisions?[\s\/]+(\d+)(?: and (\d+))?/) {
                let isThere = Self.decisions.contains(String(match.1))
                let isOtherThere = Self.decisions.contains(String(match.2 ?? match.1))
                #expect(isThere && isOtherThere, "\(path): \(match.0)")
            }
        }
        for document in try Markdown.all() {
            for match in document.text.matches(of: /(\[?)[Dd]ecisions?\s(\d+)(?:\]\(([^)]*))?/) {
                let number = String(match.2)
                let isLink = !match.1.isEmpty && match.3 != nil
                let page = isLink ? String(("000" + number).suffix(4)) : number
                let isThere = Self.decisions.contains(page)
                let isRight = !isLink || match.3?.contains("\(page)-") == true
                #expect(isThere && isRight, "\(document.path): \(match.0)")
            }
        }
    }

    @Test("no comment and no name of a test refers to notes that are not in the project")
    func notes() {
        for (path, text) in Self.remarks {
            for words in ["mechanisms", "wire contract", "house.md", "`pages.md`"] {
                #expect(!text.contains(words), "\(path): \(words)")
            }
            // Pages have names in docs/pages.md, and no numbers.
            let number = text.firstMatch(of: /\b[Pp]ages? \(?[A-Z]?\d/)
            #expect(number == nil, "\(path): \(number?.0 ?? "")")
        }
    }

    @Test("every row of docs/standards that a comment or the name of a test refers to is there")
    func rows() throws {
        let lines = try Self.tables().values.flatMap { $0.split(separator: "\n").dropFirst() }
        let rows = Set(lines.map { String($0.prefix { $0 != "\t" }) })
        let tables = Set(rows.map { String($0.prefix { $0 != "-" }) })
        for (path, text) in Self.remarks {
            for match in text.matches(of: /\b([A-Z][A-Z0-9]+)-[A-Z0-9.]+-\d+/)
            where tables.contains(String(match.1)) {
                #expect(rows.contains(String(match.0)), "\(path): \(match.0)")
            }
            for match in text.matches(of: /[Aa]ttacks? ([A-H]\d\d)\b/) {
                #expect(rows.contains(String(match.1)), "\(path): \(match.0)")
            }
        }
    }
}
