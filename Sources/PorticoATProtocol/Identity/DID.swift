import PorticoBytes
package import PorticoProtocol

/// The lasting name of an account (W3C DID §3.1; AT Protocol, DIDs), by one of the two methods in
/// use.
package struct DID: Hashable, Sendable {
    /// As written, which matters; at most 261 bytes.
    package let text: String
    package let method: Method

    package enum Method: Hashable, Sendable {
        /// Registered in the directory.
        case plc
        /// Kept at a host.
        case web(HostName)
    }

    package enum Refusal: Error, Hashable, Sendable {
        /// More than 2,048 bytes.
        case tooLong
        case syntax
        /// A DID, by another method.
        case method
        /// Not as its method writes them: `did:web` with a path, a port or an address.
        case identifier
    }

    package init(_ text: String, _ rules: IdentityRules = .production) throws(Refusal) {
        guard text.utf8.count <= 2048 else { throw .tooLong }
        let parts = text.utf8.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, parts[0].elementsEqual("did".utf8), !parts[1].isEmpty,
            parts[1].allSatisfy(\.isLowercaseLetter), Self.isIdentifier(parts[2])
        else { throw .syntax }
        if parts[1].elementsEqual("plc".utf8) {
            guard Self.isPLC(parts[2], rules) else { throw .identifier }
            method = .plc
        } else if parts[1].elementsEqual("web".utf8) {
            method = .web(try Self.host(parts[2], rules))
        } else {
            throw .method
        }
        self.text = text
    }

    private static func isIdentifier(_ text: Substring.UTF8View) -> Bool {
        guard let last = text.last, last != UInt8(ascii: ":") else { return false }
        return Hexadecimal.percentDecoded(text) != nil
            && text.allSatisfy { $0.isLetterOrDigit || "._:%-".utf8.contains($0) }
    }

    private static func isPLC(_ text: Substring.UTF8View, _ rules: IdentityRules) -> Bool {
        if rules.allowsTest {
            return text.count <= 64 && text.allSatisfy { $0.isLowercaseLetter || $0.isDigit }
        }
        return text.count == 24
            && text.allSatisfy { $0.isLowercaseLetter || (0x32...0x37).contains($0) }
    }

    /// The whole identifier is a host in lower case: no port, which would be `%3A`, and no path,
    /// which would follow a colon.
    private static func host(_ text: Substring.UTF8View, _ rules: IdentityRules) throws(Refusal)
        -> HostName
    {
        let text = String(Substring(text))
        let name: HostName
        do {
            name = try HostName(text, allowsTest: rules.allowsTest)
        } catch {
            throw .identifier
        }
        guard sameBytes(name.text, text) else { throw .identifier }
        return name
    }
}

/// The name of an account, a host name (AT Protocol, Handles). Whose it is has to be looked up.
package struct Handle: Hashable, Sendable {
    package let name: HostName

    /// Lower case, at most 253 bytes.
    package var text: String { name.text }

    /// Said in place of a handle that its account does not confirm.
    package static let invalid = "handle.invalid"

    package init(_ text: some StringProtocol, _ rules: IdentityRules = .production)
        throws(HostName.Refusal)
    {
        name = try HostName(text, allowsTest: rules.allowsTest)
    }
}

/// Who an account is, and where.
package struct ATIdentity: Hashable, Sendable {
    package let did: DID
    /// Confirmed both ways: it names the DID, whose document names it. `nil` if it does not.
    package let handle: Handle?
    /// The account's host, its PDS.
    package let host: ServerOrigin
    /// `false` where the handle is left out because whose it is could not be asked.
    package var isHandleKnown = true
}

/// Why an identity is not to be had.
package enum IdentityError: Error, Hashable, Sendable {
    /// No account has that handle.
    case handleNotFound
    /// Who has it could not be asked.
    case handleUnreachable
    /// It names several accounts.
    case handleAmbiguous
    /// The account that it names does not have it.
    case handleOfAnother
    /// No such DID, or no longer.
    case didNotFound
    /// The directory, or the host of a `did:web`.
    case directoryUnreachable
    case documentInvalid
    /// The document's host is not one that may be asked.
    case invalidHost
    /// The account has no host.
    case noHost
    /// We are busy: a server was not asked.
    case busy
}
