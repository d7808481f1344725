import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What an authorization code stands for (RFC 6749 §4.1.2).
///
/// The code is a seal that holds all of this: nobody reads it, nobody alters it, and no row is
/// written before it is redeemed. Single use hangs on ``grantID``, never on the presented text.
struct AuthorizationCode: Sendable, Equatable {
    var grantID: UniqueID
    /// One grant per authorization request, however often its form was sent.
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
    /// The `claims` parameter as compact JSON.
    var claims: String?
}

/// Seals authorization codes of one realm and opens them.
struct AuthorizationCodeSeal: Sendable {
    private let seal: Seal

    /// The longest code; longer requests are refused before a code is made.
    static let maximumLength = 1536

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "authorization code", realm: realmID)
    }

    /// - Throws: `invalid_request` where the request says more than a code can hold.
    func seal(_ code: AuthorizationCode, at moment: Moment) throws(OAuthError) -> String {
        let text = seal.seal(code.encoded, at: moment.now, random: moment.random)
        guard text.utf8.count <= Self.maximumLength else {
            throw OAuthError(.invalidRequest, "scope, nonce and claims are too long together.")
        }
        return text
    }

    /// A code lives for a short time only (RFC 6749 §4.1.2).
    ///
    /// - Returns: `nil` where the text is no code of this realm, or was one more than `lifetime`
    ///   seconds ago.
    func open(_ text: String, at moment: Moment, within lifetime: Int64) -> AuthorizationCode? {
        // `try?`: every way to fail is the same answer, so that no presenter learns which.
        guard
            let bytes = try? seal.open(
                text,
                at: moment.now,
                within: TimeInterval(lifetime),
                maximumLength: Self.maximumLength
            )
        else { return nil }
        // `try?`: only another version of the program writes other fields.
        return try? AuthorizationCode(encoded: bytes)
    }
}

extension AuthorizationCode {
    private static let version: UInt8 = 1

    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.fixed(grantID.bytes)
        writer.fixed(requestID.bytes)
        writer.fixed(redirectHash)
        writer.sized(challenge?.hash.bytes ?? [])
        writer.integer(authenticatedAt)
        for text in [clientID, personID, sessionID, acr, amr.joined(separator: " "), scope.text] {
            writer.text(text)
        }
        writer.optionalText(nonce)
        writer.optionalText(claims)
        return writer.bytes
    }

    fileprivate init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version,
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
        claims = try reader.optionalText()
        try reader.end()
    }
}
