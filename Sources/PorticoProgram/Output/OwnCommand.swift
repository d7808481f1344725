import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// A command of ours as a message prints it, to be pasted into a shell: for the installation and the
/// realm that this run works with.
///
/// - Parameter words: What follows `portico`.
func portico(_ words: CommandWords) -> String {
    OwnCommand.run.text(words)
}

/// `portico serve`, at the address that a realm's issuer has.
func porticoServing(_ issuer: String, of realm: String) -> String {
    let suffix = "/realms/\(realm)"
    guard issuer.hasSuffix(suffix) else { return portico("serve --public-url URL") }
    let base = String(issuer.dropLast(suffix.count))
    var address = base.dropping("http://").flatMap { ListenAddress(String($0)) }
    // Who is reached by a name of this machine listens at the literal.
    if let named = HTTPAddress(base), named.isLocalhost, base.hasPrefix("http://") {
        address = ListenAddress(host: "127.0.0.1", port: named.port)
    }
    guard let address, address.isLoopbackLiteral else {
        return portico("serve --public-url \(base)")
    }
    return portico("serve --listen \(address.text) --public-url \(base)")
}

/// The words of a command. What is put into them is quoted for a shell.
struct CommandWords: ExpressibleByStringInterpolation, Sendable {
    let text: String
    /// Those of its options that are no one's choice: a name can hold `--realm`, too.
    fileprivate let options: Set<String>

    init(stringLiteral value: String) {
        self.init(stringInterpolation: StringInterpolation(value))
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        options = stringInterpolation.options
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var options: Set<String> = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        fileprivate init(_ literal: String) {
            appendLiteral(literal)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
            add(literal.split(separator: " ").map(String.init))
        }

        private mutating func add(_ words: [String]) {
            options.formUnion(words.filter { $0.hasPrefix("--") })
        }

        mutating func appendInterpolation(_ word: String) {
            text += shellWord(word)
        }

        mutating func appendInterpolation(_ words: CommandWords) {
            text += words.text
            options.formUnion(words.options)
        }

        mutating func appendInterpolation(words: [String]) {
            text += words.map(shellWord).joined(separator: " ")
            add(words)
        }
    }
}

func shellWord(_ text: String) -> String {
    let isPlain =
        text.first != "=" && !text.isEmpty
        && text.utf8.allSatisfy { $0.isLetterOrDigit || "_@%+=:,./-".utf8.contains($0) }
    return isPlain ? text : "'\(printable(text).replacing("'", with: #"'\''"#))'"
}

/// What commands have to repeat of the one that prints them.
struct OwnCommand: Sendable {
    private struct Option: Sendable {
        let name: String
        var value: String?

        var text: String { value.map { "\(name) \(shellWord($0))" } ?? name }
    }

    private let name: String?
    private let options: [Option]
    private let demoFolder: String?

    static let run: OwnCommand = {
        let arguments = Array(CommandLine.arguments.dropFirst())
        return OwnCommand(arguments: arguments) { config in
            let reader = try SettingsReader(file: config)
            return DataDirectory(path: try reader.settings().settings.dataDirectory).ofDemo.path
        }
    }()

    /// - Parameter demoFolder: Where a demo's data is, if no option says it.
    init(arguments: [String], demoFolder: (_ config: String?) throws -> String) {
        var options: [Option] = []
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if argument.hasPrefix("-"), argument != "-" {
                let parts = argument.split(separator: "=", maxSplits: 1)
                options.append(Option(name: String(parts[0])))
                if parts.count > 1 { options[options.count - 1].value = String(parts[1]) }
            } else if let last = options.indices.last, options[last].value == nil {
                options[last].value = argument
            }
        }
        name = arguments.first
        self.options = options
        let isDemo = arguments.first == "serve" && options.contains { $0.name == "--demo" }
        let place = options.last { $0.name == "--data-directory" }
        let config = options.last { $0.name == "--config" }?.value
        if isDemo, place == nil {
            // `try?`: settings that cannot be read stop the run by themselves.
            self.demoFolder = try? demoFolder(config)
        } else {
            self.demoFolder = nil
        }
    }

    private static let inRealm: Set = [
        "client", "user", "role", "group", "scope", "mapper", "keys",
    ]

    func text(_ words: CommandWords) -> String {
        let command = words.text.prefix { $0 != " " }
        func given(_ names: String...) -> [String] {
            names.filter { !words.options.contains($0) }
                .compactMap { name in options.last { $0.name == name }?.text }
        }
        var parts = ["portico", words.text]
        if command == "serve", name == "serve" {
            // Served as now, but for what is to change.
            parts += options.filter { !words.options.contains($0.name) }.map(\.text)
        } else {
            if Self.inRealm.contains(String(command)) { parts += given("--realm") }
            parts += given("--data-directory", "--config")
            if words.text.hasPrefix("realm import ") {
                parts += given("--public-url", "--on-conflict", "--people")
            }
            if let demoFolder { parts.append("--data-directory \(shellWord(demoFolder))") }
        }
        return parts.joined(separator: " ")
    }
}
