import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoSystem

/// The content of an authorization code (RFC 6749 §4.1.2).
///
/// The code is a seal that holds all of this: no one can read or change it, and no row is written
/// before it is redeemed. Single use depends on ``grantID``, never on the presented text.
struct AuthorizationCode: Sendable, Equatable {
    var grantID: UniqueID
    /// One grant per authorization request, however often its form was submitted.
    var requestID: UniqueID
    /// The client's UUID.
    var clientID: String
    /// The SHA-256 of the redirect URI of the request.
    var redirectHash: [UInt8]
    var challenge: CodeChallenge?
    var personID: String
    var sessionID: String
    var authenticatedAt: Int64
    var acr: String
    var amr: [String]
    var scope: Scope
    var nonce: String?
    var claims: RequestedClaims
    /// Where another app handed the sign-in on.
    var derivation: Derivation?
    /// The key that the request named, which the token request proves (RFC 9449 §10).
    var dpopKey: JWKThumbprint?
    /// What stands for the key that the client authenticated with when it pushed the request: the code is
    /// redeemed with the same (``RealmProfile/bindsClientKeys``).
    var clientKey: Hash256?
}

/// Seals authorization codes of one realm and opens them.
struct AuthorizationCodeSeal: Sendable {
    private let seal: Seal

    /// The longest code, in characters. Most have a quarter of it; only the scope and the nonce can
    /// make one long, and the longest `sub` leaves them ``room``.
    static let maximumLength = 2048
    /// How many bytes scope and nonce may have together, for any person.
    static let room = maximumLength / 4 * 3 - Seal.overhead - AuthorizationCode.longestRest
    /// The same for a client whose permissions are written out one by one (``ScopeRule/atProtocol``):
    /// its codes have at most 3,600 characters.
    static let roomForPermissions = 2048

    /// The longest that is opened. The ids of a login token and of its grant come on top, and the
    /// keys.
    private static let longest = 3600 + 112 + 44

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "authorization code", realm: realmID)
    }

    /// - Throws: `invalid_request` if the request has more than a code can hold; `invalid_scope` if that
    ///   is for its permissions.
    static func expectRoom(for scope: Scope, nonce: String?, of client: Client)
        throws(OAuthError)
    {
        guard client.scopeRule == .named else {
            guard scope.text.utf8.count <= roomForPermissions else {
                throw OAuthError(.invalidScope, "scope is too long.")
            }
            return
        }
        guard scope.text.utf8.count + (nonce?.utf8.count ?? 0) <= room else {
            throw OAuthError(.invalidRequest, "scope and nonce are too long together.")
        }
    }

    /// - Throws: As ``expectRoom(for:nonce:of:)``, which every request has passed before.
    func seal(_ code: AuthorizationCode, of client: Client, at moment: Moment)
        throws(OAuthError) -> String
    {
        try Self.expectRoom(for: code.scope, nonce: code.nonce, of: client)
        return seal.seal(code.encoded, at: moment.now, random: moment.random)
    }

    /// A code is valid for a short time only (RFC 6749 §4.1.2).
    ///
    /// - Returns: `nil` if the text is not a code of this realm, or was made more than `lifetime`
    ///   seconds ago. `issuedAt` in seconds since 1970.
    func open(_ text: String, at moment: Moment, within lifetime: Int64)
        -> (code: AuthorizationCode, issuedAt: Int64)?
    {
        // `try?`: every failure has the same answer, so that the client does not learn which.
        guard
            let opened = try? seal.opened(
                text.utf8,
                at: moment.now,
                within: TimeInterval(lifetime),
                maximumLength: Self.longest
            )
        else { return nil }
        // `try?`: only another version of the program writes other fields.
        return (try? AuthorizationCode(encoded: opened.plaintext)).map {
            ($0, Moment(now: opened.sealedAt, random: moment.random).seconds)
        }
    }
}

extension AuthorizationCode {
    /// 2: `claims` by position in ``StandardClaims/names``. 4: a login token's id at the end,
    /// and its grant's. 6 and 8: the same with the key behind it. 10 to 16: these with the client's
    /// own key last.
    private static let version: UInt8 = 2
    private static let versionDerived: UInt8 = 4
    private static let withKey: UInt8 = 4
    private static let withClientKey: UInt8 = 8

    /// The most bytes of everything but scope and nonce: a `sub` of 255 (OpenID Connect Core §2),
    /// other ids of 36, and 64 for `acr` and `amr`.
    fileprivate static let longestRest = 529

    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        let version = derivation == nil ? Self.version : Self.versionDerived
        writer.byte(
            version + (dpopKey == nil ? 0 : Self.withKey)
                + (clientKey == nil ? 0 : Self.withClientKey)
        )
        writer.fixed(grantID.bytes)
        writer.fixed(requestID.bytes)
        writer.fixed(redirectHash)
        writer.sized(challenge?.hash.bytes ?? [])
        writer.integer(authenticatedAt)
        for text in [clientID, personID, sessionID, acr, amr.joined(separator: " "), scope.text] {
            writer.text(text)
        }
        writer.optionalText(nonce)
        writer.integer(Int64(claims.idToken.rawValue))
        writer.integer(Int64(claims.userInfo.rawValue))
        if let derivation { writer.derivation(derivation) }
        if let dpopKey { writer.text(dpopKey.text) }
        if let clientKey { writer.fixed(clientKey.bytes) }
        return writer.bytes
    }

    fileprivate init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        let first = try reader.byte()
        let hasClientKey = first > Self.versionDerived + Self.withKey
        let keyed = hasClientKey ? first - Self.withClientKey : first
        let hasKey = keyed > Self.versionDerived
        let version = hasKey ? keyed - Self.withKey : keyed
        guard version == Self.version || version == Self.versionDerived,
            let grantID = UniqueID(bytes: try reader.fixed(16)),
            let requestID = UniqueID(bytes: try reader.fixed(16))
        else {
            throw ByteReader.Malformed()
        }
        self.grantID = grantID
        self.requestID = requestID
        redirectHash = try reader.fixed(32)
        let challenge = try reader.sized()
        self.challenge = challenge.isEmpty ? nil : CodeChallenge(hash: Hash256(kept: challenge))
        authenticatedAt = try reader.integer()
        clientID = try reader.text()
        personID = try reader.text()
        sessionID = try reader.text()
        acr = try reader.text()
        amr = try reader.text().split(separator: " ").map(String.init)
        scope = try Scope(try reader.text())
        nonce = try reader.optionalText()
        claims = RequestedClaims(
            idToken: .init(rawValue: UInt32(truncatingIfNeeded: try reader.integer())),
            userInfo: .init(rawValue: UInt32(truncatingIfNeeded: try reader.integer()))
        )
        if version == Self.versionDerived { derivation = try reader.derivation() }
        if hasKey {
            guard let key = JWKThumbprint(try reader.text()) else { throw ByteReader.Malformed() }
            dpopKey = key
        }
        if hasClientKey { clientKey = Hash256(kept: try reader.fixed(32)) }
        try reader.end()
    }
}

/// The part of a seal that says by which app's grant a sign-in was handed on.
extension ByteWriter {
    mutating func derivation(_ derivation: Derivation) {
        fixed(derivation.parentID.bytes)
        sized(derivation.loginTokenID?.bytes ?? [])
    }
}

extension ByteReader {
    mutating func derivation() throws(Malformed) -> Derivation {
        guard let parentID = UniqueID(bytes: try fixed(16)) else { throw Malformed() }
        return Derivation(parentID: parentID, loginTokenID: UniqueID(bytes: try sized()))
    }
}
