import PorticoBytes
import PorticoSeals
import PorticoSystem

/// The content of a login token: a signed-in app hands its sign-in on to another one, which sends
/// the token as `login_hint` (RFC 8693 §2.1, OpenID Connect Core §3.1.2.1).
struct LoginToken: Sendable, Equatable {
    /// A grant names it, so that it is good once.
    var id: UniqueID
    /// The grant of the app that asked for it: it dies with that, and with the session behind it.
    var grantID: UniqueID
    /// The UUID of the client that may use it.
    var targetID: String

    /// `expires_in`, in seconds.
    static let lifetime: Int64 = 60
    /// A text that begins like this, but for signs and spaces, is meant as a login token, good or not:
    /// it is never shown.
    fileprivate static let prefix = "login-token."

    /// Whether a `login_hint` is meant as a login token, good or not, and not as a person's name.
    static func isMeant(by hint: String) -> Bool {
        hint.utf8.drop { !$0.isLetterOrDigit }.prefix(prefix.utf8.count)
            .elementsEqual(prefix.utf8) { $0.lowercased == $1 }
    }
}

/// Seals login tokens of one realm and opens them.
struct LoginTokenSeal: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "login token", realm: realmID)
    }

    func seal(_ token: LoginToken, at moment: Moment) -> String {
        LoginToken.prefix + seal.seal(token.encoded, at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the hint is no login token of this realm, or was made 60 seconds ago or
    ///   more.
    func open(_ hint: String, at moment: Moment) -> LoginToken? {
        guard hint.hasPrefix(LoginToken.prefix) else { return nil }
        // `try?`: every failure is an unknown hint (OpenID Connect Core §3.1.2.1).
        guard
            let bytes = try? seal.open(
                hint.utf8.dropFirst(LoginToken.prefix.utf8.count),
                at: moment.now,
                within: TimeInterval(LoginToken.lifetime),
                maximumLength: 1024
            )
        else { return nil }
        // `try?`: only another version of the program writes other fields.
        return try? LoginToken(encoded: bytes)
    }
}

extension LoginToken {
    /// 2: names the grant instead of its client and session.
    private static let version: UInt8 = 2

    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.fixed(id.bytes)
        writer.fixed(grantID.bytes)
        writer.text(targetID)
        return writer.bytes
    }

    fileprivate init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version, let id = UniqueID(bytes: try reader.fixed(16)),
            let grantID = UniqueID(bytes: try reader.fixed(16))
        else { throw ByteReader.Malformed() }
        self.id = id
        self.grantID = grantID
        targetID = try reader.text()
        try reader.end()
    }
}
