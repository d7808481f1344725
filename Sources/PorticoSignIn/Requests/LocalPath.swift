import PorticoBytes
import PorticoPages
import PorticoProtocol

/// A path on this server, with its query, that a sign-in returns to (WEB-REDIR-1), never another
/// site.
///
/// It is checked as received and after one decoding; anything that a browser could read as another
/// site, or as the end of a header, is refused.
package struct LocalPath: Hashable, Sendable {
    package let text: String

    package static let root = LocalPath(known: "/")
    package static let dashboard = LocalPath(known: "/dashboard")
    static let onboarding = LocalPath(known: "/onboarding")
    package static let ways = LocalPath(known: "/account/ways")

    package static func known(_ text: StaticString) -> LocalPath { LocalPath(known: "\(text)") }

    private init(known text: String) {
        self.text = text
    }

    /// The welcome, followed by `path`.
    static func onboarding(then path: LocalPath) -> LocalPath {
        guard path != dashboard else { return onboarding }
        let text = FormEncoding.appending([("return_to", path.text)], to: onboarding.text)
        return LocalPath(text) ?? onboarding
    }

    /// The target of `return_to`: other sites become `/`, a missing one the dashboard (attack E12).
    ///
    /// What begins, answers or ends a sign-in becomes `/`, too. A page of another site may say the path
    /// here, and then it would be ours that leads the browser there (WEB-CSRF-2, ``RequestOrigin``).
    package static func asked(_ given: String?) -> LocalPath {
        guard let given else { return dashboard }
        guard let path = LocalPath(given), !path.isOfSignIns else { return root }
        return path
    }

    /// - Parameter given: From a form or query, already decoded once.
    package init?(_ given: String) {
        let bytes = Array(given.utf8)
        guard bytes.count <= Self.longest(bytes),
            bytes.first == UInt8(ascii: "/"),
            bytes.allSatisfy({ $0.isURICharacter && $0 != UInt8(ascii: "#") })
        else { return nil }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        guard let decoded = Hexadecimal.percentDecoded(path), Self.isPlain(decoded) else {
            return nil
        }
        text = given
    }

    /// The most bytes of a path. A realm's page brings a whole authorization request, also by way of a proof,
    /// the welcome or a provider.
    private static func longest(_ path: [UInt8]) -> Int {
        func begins(with names: String...) -> Bool { names.contains { path.starts(with: $0.utf8) } }
        if begins(with: "/realms/", waiting) { return SignInElsewhere.longestReturn }
        if begins(with: "/account/confirm", "/onboarding") {
            return SignInElsewhere.longestReturn + 200
        }
        return begins(with: "/v1/auth/", "/broker/") ? SignInElsewhere.longestReturn + 600 : 1024
    }

    /// Without controls, backslashes, and empty or dot segments.
    private static func isPlain(_ path: [UInt8]) -> Bool {
        guard path.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            return false
        }
        return segments(of: path).allSatisfy { segment in
            !segment.isEmpty && !segment.elementsEqual(".".utf8)
                && !segment.elementsEqual("..".utf8)
        }
    }

    /// Without a slash at the end, and without parameters (`..;v=1`), as some servers read a path.
    private static func segments(of path: [UInt8]) -> [ArraySlice<UInt8>] {
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        segments.removeFirst()
        if segments.last?.isEmpty == true { segments.removeLast() }
        return segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }
    }

    /// Whether it is one of the addresses of sign-ins, in any spelling that a server in front of us
    /// might make one of. The pages below `/login` only go on with what waits in this browser.
    private var isOfSignIns: Bool {
        segmentCount == 1 && (begins(with: "login") || begins(with: "logout"))
            || begins(with: "login", "back")
            || begins(with: "mobile-auth") || begins(with: "oauth", "callback")
            || begins(with: "v1", "auth") || begins(with: "broker")
            || begins(with: "realms", nil, "broker")
    }

    /// Where a realm goes on after a sign-in here.
    static let waiting = "/login-actions/signed-in"

    /// Whether what a realm asked the sign-in for goes on there.
    var isWaiting: Bool {
        begins(with: "login-actions", "signed-in")
            || begins(with: "realms", nil, "login-actions", "signed-in")
    }

    /// Whether a sign-in in a realm may lead there.
    var isOfRealm: Bool {
        begins(with: "login-actions", "signed-in") || begins(with: "account")
            || begins(with: "login", "account")
    }

    private var decodedSegments: [ArraySlice<UInt8>] {
        let path = Hexadecimal.percentDecoded(text.utf8.prefix { $0 != UInt8(ascii: "?") }) ?? []
        return Self.segments(of: Array(path.prefix { $0 != UInt8(ascii: "?") }))
    }

    private var segmentCount: Int { decodedSegments.count }

    /// - Parameter names: `nil` stands for any.
    private func begins(with names: String?...) -> Bool {
        let segments = decodedSegments
        return segments.count >= names.count
            && zip(segments, names).allSatisfy { segment, name in
                name.map { segment.elementsEqual($0.utf8) } ?? true
            }
    }
}
