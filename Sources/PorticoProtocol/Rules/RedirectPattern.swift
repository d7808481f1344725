import PorticoBytes

/// A redirect URI as Keycloak registers it: whole, or with `*` at its end. Only clients that came
/// from Keycloak have patterns; they match as there (Keycloak `RedirectUtils`), less what would
/// send a response to anybody.
package struct RedirectPattern: Hashable, Sendable {
    /// As registered.
    package let text: String
    /// The gravest thing that is wrong with it.
    package let warning: Warning?
    /// The origin of an http or https pattern, as browsers write it.
    package let origin: String?
    private let form: Form

    fileprivate enum Form: Hashable, Sendable {
        /// `*`: each http and https URI.
        case anyHTTP
        case exact(RedirectURI)
        /// What stands before `*`: at least the scheme, and a whole host if it has one.
        case prefix([UInt8])
        /// `scheme://host:`
        case anyPort([UInt8])
    }

    /// The longest pattern and the longest redirect URI, in bytes.
    package static let longest = 2000

    /// - Parameters:
    ///   - rootURL: What a pattern with a leading slash is relative to.
    ///   - serverOrigin: What it is relative to where the client has no root URL.
    /// - Throws: The first rule that the pattern breaks.
    package init(_ text: String, rootURL: String?, serverOrigin: String) throws(Refusal) {
        self.text = text
        if sameBytes(text, "*") {
            form = .anyHTTP
            warning = .anyAddress
            origin = nil
            return
        }
        let bytes = try Self.absolute(text, rootURL, serverOrigin)
        let parts = try RedirectParts(pattern: bytes)
        form = try Self.form(of: bytes, parts)
        let address: HTTPAddress?
        switch form {
        case .exact(let uri): address = HTTPAddress(uri.text)
        case .prefix(let prefix): address = HTTPAddress(String(decoding: prefix, as: UTF8.self))
        case .anyHTTP, .anyPort: address = nil
        }
        if parts.isHTTP, address == nil, !form.isAnyPort { throw .noHost }
        origin = parts.isHTTP ? address?.webOrigin : nil
        warning = form.warning(bytes, parts)
    }

    /// Whether a response may go to the URI (Keycloak `RedirectUtils`; RFC 9700 §2.1 allows none of
    /// this to new clients).
    package func permits(_ requested: RedirectURI) -> Bool {
        guard let requested = RequestedRedirect(requested) else { return false }
        return matches(requested) || requested.withoutPort.map(matches) ?? false
    }

    func matches(_ requested: RequestedRedirect) -> Bool {
        switch form {
        case .exact(let uri): return uri.permits(requested.uri)
        case .anyHTTP: return requested.parts.isHTTP && requested.fitsAsterisk
        case .prefix(let prefix):
            let bytes = requested.bytesBeforeQuery
            guard
                bytes.starts(with: prefix)
                    || prefix.last == UInt8(ascii: "/") && bytes.elementsEqual(prefix.dropLast())
            else { return false }
            // Last: it reads the whole query, and a client may have many patterns.
            return requested.fitsAsterisk
        case .anyPort(let prefix):
            let bytes = requested.bytesBeforeQuery
            guard bytes.starts(with: prefix), requested.fitsAsterisk else { return false }
            let rest = bytes.dropFirst(prefix.count)
            let port = rest.prefix { $0.isDigit }
            guard let number = Int(digits: port, atMost: 5), (1...65535).contains(number) else {
                return false
            }
            return port.endIndex == rest.endIndex || rest[port.endIndex] == UInt8(ascii: "/")
        }
    }

    /// The URI that is meant where a client names none (Keycloak `getSingleValidRedirectUri`): the
    /// whole, or what stands before `/*`.
    var sole: RedirectURI? {
        switch form {
        case .exact(let uri): uri
        case .prefix(let prefix) where prefix.last == UInt8(ascii: "/") && origin != nil:
            RedirectURI(String(decoding: prefix.dropLast(), as: UTF8.self))
        default: nil
        }
    }
}

extension RedirectPattern {
    private static func absolute(_ text: String, _ rootURL: String?, _ serverOrigin: String)
        throws(Refusal) -> [UInt8]
    {
        guard text.utf8.count <= longest else { throw .tooLong }
        guard let first = text.utf8.first else { throw .empty }
        var bytes = Array(text.utf8)
        if first == UInt8(ascii: "/") {
            let root = rootURL.flatMap { $0.isEmpty ? nil : $0 } ?? serverOrigin
            bytes = Array(root.utf8) + bytes
        }
        guard bytes.count <= longest else { throw .tooLong }
        guard !String(decoding: bytes, as: UTF8.self).hasBytes("${") else { throw .variable }
        guard bytes.allSatisfy(\.isURICharacter) else { throw .forbiddenCharacter }
        guard !bytes.contains(UInt8(ascii: "#")) else { throw .fragment }
        return bytes
    }

    private static func form(of bytes: [UInt8], _ parts: RedirectParts) throws(Refusal) -> Form {
        let asterisk = UInt8(ascii: "*")
        if let authority = parts.authority, authority.contains(asterisk) {
            let host = authority.dropLast()
            // `host*` and `scheme://*` end there, and have no other asterisk.
            guard authority.endIndex == bytes.endIndex, authority.last == asterisk,
                !host.contains(asterisk)
            else { throw .wildcardHost }
            if host.isEmpty {
                guard !parts.isHTTP else { throw .wildcardHost }
                return .prefix(Array(bytes.dropLast()))
            }
            guard host.last == UInt8(ascii: ":") else {
                // Not any host that begins so: any path of this one.
                return .prefix(Array(bytes.dropLast()) + [UInt8(ascii: "/")])
            }
            guard !parts.isHTTP || RedirectParts.isThisMachine(host.dropLast()) else {
                throw .wildcardHost
            }
            return .anyPort(Array(bytes.dropLast()))
        }
        guard bytes.last == asterisk, !bytes.contains(UInt8(ascii: "?")) else {
            return .exact(RedirectURI(String(decoding: bytes, as: UTF8.self)))
        }
        return .prefix(Array(bytes.dropLast()))
    }

    /// Why a pattern is refused: nothing is sent to what it would match.
    package enum Refusal: Error, Hashable, Sendable {
        case empty
        case tooLong
        /// `${authBaseUrl}` and the like.
        case variable
        case forbiddenCharacter
        case fragment
        case notAbsolute
        /// A scheme that browsers run or read themselves, or `HTTP` in capital letters.
        case scheme
        /// `urn:ietf:wg:oauth:2.0:oob`
        case outOfBand
        case userInfo
        case noHost
        /// A host of which only a part is written.
        case wildcardHost

        /// One English sentence for the operator.
        package var description: StaticString {
            switch self {
            case .empty: "It is empty."
            case .tooLong: "It has more than 2000 bytes."
            case .variable: "It has a variable, which is not replaced here."
            case .forbiddenCharacter: "It is not ASCII without spaces, quotes or backslashes."
            case .fragment: "It has a fragment (RFC 6749 3.1.2)."
            case .notAbsolute: "It has no scheme (RFC 6749 3.1.2)."
            case .scheme: "No response is sent to this scheme."
            case .outOfBand: "There is no page here that shows a code."
            case .userInfo: "It has user information before the host."
            case .noHost: "It has no host, or no valid port."
            case .wildcardHost: "Its host is not written out (RFC 9700 4.1.3)."
            }
        }
    }

    /// What an operator should know of a pattern, the gravest first.
    package enum Warning: Int, CaseIterable, Hashable, Sendable {
        /// `*`
        case anyAddress
        /// http to another machine.
        case plainHTTP
        case wildcard
        case anyPort
        /// A scheme that any app can take (RFC 8252 §7.1).
        case dotlessScheme
        /// `localhost` may lead to another machine (RFC 8252 §8.3).
        case localhost
        /// An asterisk that is not at the end stands for itself.
        case literalAsterisk

        /// One English sentence for the operator.
        package var description: StaticString {
            switch self {
            case .anyAddress: "Codes may go to any website."
            case .plainHTTP: "Codes travel in the clear, to another machine."
            case .wildcard: "Codes may go to any path below it."
            case .anyPort: "Codes may go to any port of the host."
            case .dotlessScheme: "Any app can take this scheme (RFC 8252 7.1)."
            case .localhost: "A resolver may lead localhost elsewhere (RFC 8252 8.3)."
            case .literalAsterisk: "Its asterisk stands for itself."
            }
        }
    }
}

extension RedirectPattern.Form {
    fileprivate var isAnyPort: Bool {
        if case .anyPort = self { true } else { false }
    }

    fileprivate func warning(_ bytes: [UInt8], _ parts: RedirectParts)
        -> RedirectPattern.Warning?
    {
        var warnings: [RedirectPattern.Warning] = []
        if parts.isPlainHTTP, !parts.isThisMachine { warnings.append(.plainHTTP) }
        switch self {
        case .prefix: warnings.append(.wildcard)
        case .anyPort: warnings.append(.anyPort)
        case .exact where bytes.contains(UInt8(ascii: "*")): warnings.append(.literalAsterisk)
        case .exact, .anyHTTP: break
        }
        if !parts.isHTTP, !parts.scheme.contains(UInt8(ascii: ".")) {
            warnings.append(.dotlessScheme)
        }
        if parts.isPlainHTTP, parts.isLocalhost { warnings.append(.localhost) }
        return warnings.min { $0.rawValue < $1.rawValue }
    }
}
