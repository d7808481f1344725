import PorticoBytes

/// What a person typed as their handle.
///
/// What does not change the meaning is forgiven: white space and invisible marks, `@`, capitals, a
/// dot at the end, the address of a profile. What might is proposed, and not used until the person
/// says so.
package enum HandleInput: Hashable, Sendable {
    case start(Start)
    /// What the person may have meant.
    case propose(Handle)
    case unreadable

    /// What a sign-in begins with.
    package enum Start: Hashable, Sendable {
        case handle(Handle)
        case did(DID)
        case server(ServerOrigin)
    }

    /// - Parameters:
    ///   - typed: At most 2,048 bytes are looked at.
    ///   - defaultDomain: Where the handle of a bare name would be.
    package init(
        _ typed: String,
        defaultDomain: String = "bsky.social",
        _ rules: IdentityRules = .production
    ) {
        guard typed.utf8.count <= 2048, let (text, isExact) = Self.ascii(typed) else {
            self = .unreadable
            return
        }
        let input = Self(text, defaultDomain, rules)
        switch input {
        case .start(.handle(let handle)) where !isExact: self = .propose(handle)
        case .start where !isExact: self = .unreadable
        default: self = input
        }
    }

    private init(_ text: String, _ defaultDomain: String, _ rules: IdentityRules) {
        if let account = Self.account(of: text) {
            self.init(identifier: account, defaultDomain, rules)
        } else if text.hasBytes("://") {
            let address = text.utf8.last == UInt8(ascii: "/") ? text.dropLast() : text[...]
            // `try?`: whatever is wrong with it, it is no server.
            let server = try? ServerOrigin(address.lowercased(), rules)
            self = server.map { .start(.server($0)) } ?? .unreadable
        } else {
            self.init(identifier: text[...], defaultDomain, rules)
        }
    }

    private init(identifier: Substring, _ defaultDomain: String, _ rules: IdentityRules) {
        if identifier.utf8.starts(with: "did:".utf8) {
            // `try?`: whatever is wrong with it, it is no DID.
            let did = try? DID(String(identifier), rules)
            self = did.map { .start(.did($0)) } ?? .unreadable
            return
        }
        let text = identifier.utf8.last == UInt8(ascii: ".") ? identifier.dropLast() : identifier
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let dot = UInt8(ascii: ".")
        let (name, isExact) =
            if parts.count == 2, parts[1].contains(dot) {
                ("\(Substring(parts[0])).\(Substring(parts[1]))", false)
            } else if !text.utf8.contains(dot) {
                ("\(text).\(defaultDomain)", false)
            } else {
                (String(text), true)
            }
        // `try?`: whatever is wrong with it, it is no handle.
        let handle = try? Handle(name, rules)
        self = handle.map { isExact ? .start(.handle($0)) : .propose($0) } ?? .unreadable
    }

    /// What names the account in the address of a record or of a profile.
    private static func account(of text: String) -> Substring? {
        let hosts = ["bsky.app", "www.bsky.app"]
        let places = hosts.flatMap { host in
            ["", "https://", "http://"].map { "\($0)\(host)/profile/" }
        }
        let lower = text.lowercased()
        guard let place = (["at://"] + places).first(where: { lower.dropping($0) != nil }) else {
            return nil
        }
        let rest = text.utf8.dropFirst(place.utf8.count).prefix { !"/?#".utf8.contains($0) }
        return Substring(rest)
    }

    /// - Returns: The text as visible ASCII, and whether that is what was typed but for invisible
    ///   marks and white space around it; `nil` where it cannot be.
    private static func ascii(_ typed: String) -> (text: String, isExact: Bool)? {
        let scalars = Array(typed.unicodeScalars.filter { !isInvisible($0.value) })
        var rest = scalars.trimming { $0.properties.isWhitespace }
        if let first = rest.first, first == "@" || first == "\u{FF20}" { rest = rest.dropFirst() }
        var text = ""
        var isExact = true
        for index in rest.indices {
            let scalar = rest[index]
            switch scalar.value {
            case 0x21...0x7E: text.unicodeScalars.append(scalar)
            case 0x3002, 0xFF61:
                // The full stops of other scripts.
                text += "."
                isExact = false
            case 0xFF01...0xFF5E:
                text.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
                isExact = false
            case _ where scalar.properties.isWhitespace:
                // Keyboards put one beside a dot. Elsewhere, words are no handle.
                let isBeforeDot = rest[index...].dropFirst().first == "."
                guard text.isEmpty || text.utf8.last == UInt8(ascii: ".") || isBeforeDot else {
                    return nil
                }
                isExact = false
            default: return nil
            }
        }
        return (text, isExact)
    }

    /// Invisible characters of a copied text: marks of direction, joiners, soft hyphens.
    private static func isInvisible(_ value: UInt32) -> Bool {
        switch value {
        case 0xAD, 0x61C, 0x200B...0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
