import PorticoAdministration
import PorticoBytes

/// A placeholder of either form, as it stands in a text.
struct Placeholder {
    /// Behind it.
    let end: Int
    /// The variables that it may stand for; the first that is there counts.
    let names: [String]
    let fallback: ArraySlice<UInt8>?
    /// Whether it stands for a variable: keycloak-config-cli knows files and more.
    let isVariable: Bool
    private let isCurly: Bool
    private let isMarked: Bool
    /// Where the name ends that it begins with.
    private let endOfName: Int

    /// What keycloak-config-cli can look up besides variables.
    private static let lookups: Set<String> = [
        "base64Decoder", "base64Encoder", "const", "date", "dns", "file", "java", "javascript",
        "localhost", "properties", "resourceBundle", "script", "sys", "url", "urlDecoder",
        "urlEncoder", "xml",
    ]

    /// - Parameters:
    ///   - text: Begins with the dollar sign.
    ///   - takesAny: Whether a bracket that names no variable is one, too.
    /// - Returns: `nil` for another text.
    init?(_ text: ArraySlice<UInt8>, takesAny: Bool) {
        let open = text.dropFirst().first
        let close = UInt8(ascii: open == UInt8(ascii: "{") ? "}" : ")")
        guard let open, open == UInt8(ascii: "{") || open == UInt8(ascii: "("),
            let last = Self.end(of: text, open, close)
        else { return nil }
        isCurly = open == UInt8(ascii: "{")
        end = last + 1
        let content = text[(text.startIndex + 2)..<last]
        let colon = content.firstIndex(of: UInt8(ascii: ":"))
        var name = String(decoding: content[..<(colon ?? content.endIndex)], as: UTF8.self)
        var rest = colon.map { content[($0 + 1)...] }
        let isOfEnvironment = name == "env"
        let named = isOfEnvironment ? rest ?? content : content
        endOfName = named.firstIndex { !Self.isOfName($0) && $0 != UInt8(ascii: ",") } ?? last
        if let found = rest, isOfEnvironment || Self.lookups.contains(name) {
            // `env:NAME:-default`
            let mark = found.firstRange(of: Array(":-".utf8))
            isMarked = true
            name = String(decoding: found[..<(mark?.lowerBound ?? found.endIndex)], as: UTF8.self)
            rest = mark.map { found[$0.upperBound...] }
            names = [name]
            isVariable = isOfEnvironment && Self.isName(name)
            guard isVariable || !isOfEnvironment || takesAny else { return nil }
        } else {
            let prefix = "env."
            let all = name.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            isMarked = rest != nil || all.contains { $0.hasPrefix(prefix) }
            names = all.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
            isVariable = names.allSatisfy(Self.isName)
            guard isVariable || takesAny else { return nil }
            if !isCurly, rest?.first == UInt8(ascii: "-") { rest = rest?.dropFirst() }
        }
        fallback = rest
    }

    /// Where the bracket closes; others of its kind may stand in it.
    private static func end(of text: ArraySlice<UInt8>, _ open: UInt8, _ close: UInt8) -> Int? {
        var depth = 0
        for index in text.indices.dropFirst().prefix(4096) {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 255 else { return false }
        return (first.isLetterOrDigit && !(0x30...0x39 ~= first) || first == UInt8(ascii: "_"))
            && text.utf8.allSatisfy(isOfName)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "_.-".utf8.contains(byte)
    }

    /// Up to the end of its name, safe to print.
    ///
    /// - Parameter whole: All of it.
    func shown(_ whole: ArraySlice<UInt8>) -> String {
        let name = String(decoding: whole[..<endOfName].prefix(200), as: UTF8.self)
        return PlainText.shown(name) + (endOfName < end - 1 ? "…" : "") + (isCurly ? "}" : ")")
    }

    /// Whether Keycloak means something of its own by it.
    func isKeycloaks(inMapper: Bool) -> Bool {
        guard isCurly, !isMarked, let name = names.first, names.count == 1 else { return false }
        return name == "authBaseUrl" || name == "authAdminUrl" || name.hasPrefix("vault.")
            || name == "client_id" && inMapper
    }

    /// Whether it may be the key of a translation, where people read one: these have small letters.
    var mayBeKey: Bool {
        guard isCurly, !isMarked, let name = names.first else { return false }
        return name.utf8.contains { $0.isLetterOrDigit && $0 >= UInt8(ascii: "a") }
    }
}
