import PorticoBytes
import PorticoProtocol

/// How the provider's answer comes back to this app (RFC 8252 §7).
public struct Redirect: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case loopback(path: String, port: UInt16)
        case uri(String)
    }

    let kind: Kind
    /// For systems whose sign-in sheet cannot end on an https address.
    private(set) var fallback: Kind?
    /// Whether the private-use scheme, here or as fallback, has an authority.
    private var hasAuthority = false

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// A port of this machine that is open only during the sign-in (§7.3). Register it at the
    /// provider as `http://127.0.0.1/callback`, and as `http://[::1]/callback` too.
    ///
    /// - Parameters:
    ///   - path: Begins with a slash. Use a different path for each provider (§8.10).
    ///   - port: 0 for any free port, which a provider must accept. Give a number if the provider
    ///     accepts only that one, or if the port is forwarded from another machine. A given port is
    ///     opened on 127.0.0.1, or the sign-in fails: [::1] would be a different redirect URI.
    public static func loopback(path: String = "/callback", port: UInt16 = 0) -> Redirect {
        Redirect(.loopback(path: path, port: port))
    }

    /// An https address that the system passes to this app (§7.2).
    public static func https(_ uri: String) -> Redirect {
        Redirect(.uri(uri))
    }

    /// An https address that the system passes to this app (§7.2), and a private-use scheme for
    /// sign-in sheets that cannot end on one: those before iOS 17.4 and macOS 14.4.
    ///
    /// - Parameters:
    ///   - uri: Preferred wherever it works: no other app can claim it.
    ///   - fallback: A ``scheme(_:)``, or a ``schemeWithAuthority(_:)``. Register both at the
    ///     provider.
    public static func https(_ uri: String, fallback: Redirect) -> Redirect {
        var redirect = Redirect(.uri(uri))
        redirect.fallback = fallback.kind
        redirect.hasAuthority = fallback.hasAuthority
        return redirect
    }

    /// A private-use scheme: your domain reversed, with one slash: `com.example.app:/callback`
    /// (§7.1).
    public static func scheme(_ uri: String) -> Redirect {
        Redirect(.uri(uri))
    }

    /// A private-use scheme with an authority, `com.example.app://host/callback`, which §7.1 does not
    /// have, for a provider that registers nothing else.
    public static func schemeWithAuthority(_ uri: String) -> Redirect {
        var redirect = Redirect(.uri(uri))
        redirect.hasAuthority = true
        return redirect
    }

    /// - Throws: misconfigured(.redirectInvalid), misconfigured(.redirectLocalhost)
    func check() throws(SignInError) {
        guard let fallback else { return try checkScheme(kind) }
        try Self.check(kind)
        try checkScheme(fallback)
        guard case .uri(let uri) = kind, RedirectURI(uri).kind == .https,
            case .uri(let other) = fallback, RedirectURI(other).kind == .privateUseScheme
        else { throw SignInError(.misconfigured(.redirectInvalid)) }
    }

    /// But for its second slash, one with an authority is a redirect like any other.
    private func checkScheme(_ kind: Kind) throws(SignInError) {
        guard hasAuthority else { return try Self.check(kind) }
        guard case .uri(let text) = kind, RedirectURI(text).kind == .privateUseScheme,
            let slashes = text.firstRange(of: "://"), !text[slashes.upperBound...].hasPrefix("/")
        else { throw SignInError(.misconfigured(.redirectInvalid)) }
        try Self.check(.uri(text.replacing("://", with: ":/", maxReplacements: 1)))
    }

    private static func check(_ kind: Kind) throws(SignInError) {
        switch kind {
        case .loopback(let path, _):
            guard path.hasPrefix("/"), !path.contains("?"),
                HTTPAddress("http://127.0.0.1\(path)") != nil
            else { throw SignInError(.misconfigured(.redirectInvalid)) }
        case .uri(let text):
            do {
                try RedirectURI(text).checkRegistrable(development: false)
            } catch {
                throw SignInError(
                    .misconfigured(error == .localhost ? .redirectLocalhost : .redirectInvalid)
                )
            }
        }
    }
}

/// Parameters of an authorization request that a provider has beyond the standards.
struct FurtherParameters {
    /// In the order of their names.
    let all: [(name: String, value: String)]

    /// What the library sends or must not be sent: setting it could undo the library's checks
    /// (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 9101 §5, RFC 9126 §4, OpenID Connect Core §3.1.2.1).
    private static let reserved: Set<String> = [
        "response_type", "response_mode", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri", "registration",
        "login_hint", "login_hint_token", "id_token_hint", "prompt", "max_age", "acr_values",
        "claims", "ui_locales", "dpop_jkt",
    ]

    /// - Throws: misconfigured(.parameterReserved), misconfigured(.parameterInvalid)
    init(_ options: [String: String], _ request: [String: String]) throws(SignInError) {
        let parameters = options.merging(request) { _, own in own }
        for (name, value) in parameters {
            // RFC 6749 appendix A: a name has letters, digits and these.
            guard (1...64).contains(name.utf8.count),
                name.utf8.allSatisfy({ $0.isLetterOrDigit || "-._".utf8.contains($0) }),
                value.utf8.count <= 2048
            else { throw SignInError(.misconfigured(.parameterInvalid)) }
            let folded = name.lowercased()
            guard !Self.reserved.contains(folded), !folded.hasPrefix("client_") else {
                throw SignInError(.misconfigured(.parameterReserved))
            }
        }
        all = parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
