import PorticoBytes

/// A permission of the AT Protocol, as one token of a `scope` (AT Protocol, Permissions):
/// `resource[:positional][?name=value&…]`.
package enum ATScope: Hashable, Sendable {
    /// The base of every sign-in.
    case atproto
    /// What an app password may do.
    case transitionGeneric
    case transitionEmail
    /// Counts only together with ``transitionGeneric``.
    case transitionChat
    /// To write records; collections are names, or `*` for all.
    case repo(collections: [String], actions: Set<RepoAction>)
    /// To call methods of another service through the host: names, or `*` for all; `audience` is
    /// the service's DID with a fragment, or `*`. Never both `*`.
    case rpc(methods: [String], audience: String)
    /// To upload files of these types: `image/png`, `image/*`, `*/*`.
    case blob(types: [String])
    case account(AccountAttribute, AccountAction)
    /// `handle` or `*`.
    case identity(attribute: String)

    package enum RepoAction: String, CaseIterable, Sendable {
        case create, update, delete
    }

    package enum AccountAttribute: String, CaseIterable, Sendable {
        case email, repo, status
    }

    package enum AccountAction: String, CaseIterable, Sendable {
        case read, manage
    }

    /// Those with a fixed name: the others have parameters.
    package static let fixed = [
        "atproto", "transition:generic", "transition:email", "transition:chat.bsky",
    ]

    /// - Parameter token: One token of a scope.
    /// - Returns: `nil` if it is unknown or ill-formed: such a permission is not given.
    package init?(_ token: String) {
        switch token {
        case "atproto": self = .atproto
        case "transition:generic": self = .transitionGeneric
        case "transition:email": self = .transitionEmail
        case "transition:chat.bsky": self = .transitionChat
        default:
            guard let permission = Syntax(token)?.permission else { return nil }
            self = permission
        }
    }

    /// What of a requested scope is granted: what is known here, in the order asked.
    ///
    /// - Parameter declared: The scope of the client's document.
    /// - Returns: With the unknown tokens, which are left out.
    /// - Throws: `invalid_scope` where `atproto` is missing, a token is not in the document, or a
    ///   permission set would have to be fetched (`include:`).
    package static func granted(_ asked: Scope, of declared: Scope) throws(OAuthError)
        -> (granted: Scope, dropped: [String])
    {
        guard asked.contains("atproto") else {
            throw OAuthError(.invalidScope, "scope must include atproto.")
        }
        guard asked.isSubset(of: declared) else {
            throw OAuthError(.invalidScope, "scope is wider than that of the client's document.")
        }
        guard !asked.tokens.contains(where: { Syntax.resource(of: $0) == "include" }) else {
            throw OAuthError(.invalidScope, "Permission sets are not supported.")
        }
        let isGeneric = asked.contains("transition:generic")
        let isKnown: (String) -> Bool = { token in
            guard let permission = ATScope(token) else { return false }
            return permission != .transitionChat || isGeneric
        }
        return (Scope(tokens: asked.tokens.filter(isKnown)), asked.tokens.filter { !isKnown($0) })
    }
}

/// The parts of a token, with escapes resolved.
private struct Syntax {
    private let resource: String
    private let positional: String?
    private let parameters: [(name: String, value: String)]

    /// What stands before the first colon or question mark.
    static func resource(of token: String) -> String {
        let end = token.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "?") }
        return String(token[..<(end ?? token.endIndex)])
    }

    init?(_ token: String) {
        resource = Self.resource(of: token)
        let rest = token.utf8.dropFirst(resource.utf8.count)
        let value = rest.prefix { $0 != UInt8(ascii: "?") }
        if value.isEmpty {
            positional = nil
        } else {
            guard let decoded = Hexadecimal.percentDecoded(value.dropFirst()),
                decoded.allSatisfy(\.isVisible), let text = ForeignText.decoded(decoded)
            else { return nil }
            positional = text
        }
        do {
            parameters = try FormParameters(decoding: rest[value.endIndex...].dropFirst()).all
        } catch {
            return nil
        }
    }

    var permission: ATScope? {
        switch resource {
        case "repo":
            guard let collections = values("collection", also: ["action"]),
                collections.allSatisfy({ $0 == "*" || NSID.isValid($0) }),
                let actions = words("action", ATScope.RepoAction.self)
            else { return nil }
            let all = Set(ATScope.RepoAction.allCases)
            return .repo(collections: collections, actions: actions.isEmpty ? all : Set(actions))
        case "rpc":
            guard let methods = values("lxm", also: ["aud"]),
                methods.allSatisfy({ $0 == "*" || NSID.isValid($0) }),
                let audience = sole("aud"), audience == "*" || Self.isService(audience),
                audience != "*" || !methods.contains("*")
            else { return nil }
            return .rpc(methods: methods, audience: audience)
        case "blob":
            guard let types = values("accept", also: []),
                types.allSatisfy(Self.isMediaRange)
            else { return nil }
            return .blob(types: types)
        case "account":
            guard let attributes = values("attr", also: ["action"]),
                attributes.count == 1,
                let attribute = ATScope.AccountAttribute(wire: attributes[0]),
                let actions = words("action", ATScope.AccountAction.self), actions.count <= 1
            else { return nil }
            return .account(attribute, actions.first ?? .read)
        case "identity":
            guard let attributes = values("attr", also: []),
                attributes == ["handle"] || attributes == ["*"]
            else { return nil }
            return .identity(attribute: attributes[0])
        default: return nil
        }
    }

    /// The values of the parameter that may be positional, at least one; `nil` also where the token
    /// has a parameter that is neither it nor one of `others`, or it both ways.
    private func values(_ name: String, also others: [String]) -> [String]? {
        guard parameters.allSatisfy({ $0.name == name || others.contains($0.name) }) else {
            return nil
        }
        let named = self.named(name)
        guard let positional else { return named.isEmpty ? nil : named }
        return named.isEmpty ? [positional] : nil
    }

    private func named(_ name: String) -> [String] {
        parameters.filter { sameBytes($0.name, name) }.map(\.value)
    }

    /// The value of a parameter that may be given once.
    private func sole(_ name: String) -> String? {
        let values = named(name)
        return values.count == 1 ? values[0] : nil
    }

    /// The known words that a parameter has; `nil` where one is unknown.
    private func words<Word: RawRepresentable & CaseIterable>(_ name: String, _: Word.Type)
        -> [Word]? where Word.RawValue == String
    {
        let values = named(name)
        let words = values.compactMap(Word.init(wire:))
        return words.count == values.count ? words : nil
    }

    /// A DID of a method in use, and a fragment.
    private static func isService(_ text: String) -> Bool {
        guard text.utf8.count <= 1024, let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")),
            let rest = text.dropping("did:plc:") ?? text.dropping("did:web:")
        else { return false }
        let name = rest.utf8[..<hash]
        let fragment = text.utf8[hash...].dropFirst()
        return !name.isEmpty && name.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: ":") }
            && !fragment.isEmpty && fragment.allSatisfy(\.isUnreserved)
    }

    /// `type/subtype`, `type/*` or `*/*` (RFC 9110 §12.5.1), without parameters.
    private static func isMediaRange(_ text: String) -> Bool {
        if text == "*/*" { return true }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        guard parts.count == 2 else { return false }
        let isName: (Substring.UTF8View) -> Bool = { part in
            part.first?.isLetterOrDigit == true
                && part.allSatisfy { $0.isLetterOrDigit || "!#$&-^_.+".utf8.contains($0) }
        }
        return isName(parts[0]) && (parts[1].elementsEqual("*".utf8) || isName(parts[1]))
    }
}
