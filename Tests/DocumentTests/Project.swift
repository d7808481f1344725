import Foundation

/// The project's own files, as the tests of this target read them.
enum Project {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The documents, DocC's articles among them.
    static let documents =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        + files(below: "docs", ending: ".md") + files(below: "Sources", ending: ".md")
        + files(below: "Examples", ending: ".md")

    /// All code of ours.
    static let code = texts(files(below: "Sources", ending: ".swift"))
    static let tests = texts(files(below: "Tests", ending: ".swift"))
    static let examples = texts(
        files(below: "Examples", ending: ".swift") + files(below: "Examples", ending: ".kt")
    )
    static let scripts = texts(
        ["Makefile", ".ci/run"] + files(below: "scripts", ending: "")
            + files(below: "Tests", ending: ".py")
    )

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The paths of files, from the root, in order.
    static func files(below folder: String, ending: String) -> [String] {
        let folder = root.appending(path: folder)
        let files = FileManager.default.enumerator(
            at: folder,
            includingPropertiesForKeys: [.isRegularFileKey],
            options: .skipsHiddenFiles
        )
        return (files?.compactMap { $0 as? URL } ?? [])
            .filter { !$0.hasDirectoryPath && $0.path.hasSuffix(ending) }
            .map { String($0.path.dropFirst(root.path.count + 1)) }.sorted()
    }

    private static func texts(_ paths: [String]) -> [String: String] {
        // `try?`: what is no text has none.
        Dictionary(uniqueKeysWithValues: paths.map { ($0, (try? text($0)) ?? "") })
    }

    /// What a word of a document may mean: every identifier of the code and the tests.
    static let identifiers: Set<String> = {
        let sources = [code, tests, examples].flatMap(\.values)
        var words: Set<String> = []
        let products = files(below: "Sources/PorticoProgram/Resources", ending: ".txt")
        // `try?`: a name of a file that cannot be read is missed by the test.
        for text in sources + (products + ["Package.swift"]).compactMap({ try? Project.text($0) }) {
            let isWord: (Character) -> Bool = { $0.isLetter || $0.isNumber || $0 == "_" }
            words.formUnion(text.split { !isWord($0) }.map(String.init))
        }
        return words
    }()

    /// A source without its comments.
    static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex) }
            .joined(separator: "\n")
    }
}
