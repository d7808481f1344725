import PorticoBytes
import PorticoProtocol
package import PorticoSystem

/// What a person has agreed to in one sign-in.
package struct StandInGrant: Sendable {
    let kind: StandInKind
    let client: StandInClient
    let person: StandInPerson
    /// Whether Apple's relay stands in for the person's address.
    let hidesEmail: Bool
    /// The requested scopes, without those the person refused.
    let scopes: [String]
    let nonce: String?
    let authTime: Date
    /// `sid` (OpenID Connect Back-Channel Logout §2.1).
    let sessionID: String

    package init(
        kind: StandInKind,
        client: StandInClient,
        person: StandInPerson,
        hidesEmail: Bool,
        scopes: [String],
        nonce: String?,
        authTime: Date,
        sessionID: String
    ) {
        self.kind = kind
        self.client = client
        self.person = person
        self.hidesEmail = hidesEmail
        self.scopes = scopes
        self.nonce = nonce
        self.authTime = authTime
        self.sessionID = sessionID
    }

    /// The person's id at this stand-in for this client, the same after every restart: global at
    /// Google, one per app at Facebook, one per team at Apple.
    package var subject: String { Self.subject(of: person, for: client, at: kind) }

    package static func subject(
        of person: StandInPerson,
        for client: StandInClient,
        at kind: StandInKind
    ) -> String {
        switch kind {
        case .google: return "1" + decimal(Hash256(of: "google \(person.id)"), 20)
        case .facebook:
            return "1" + decimal(Hash256(of: "facebook \(client.clientID) \(person.id)"), 15)
        case .apple:
            let hash = Hash256(of: "apple \(client.group) \(person.id)")
            return "001\(decimal(hash, 3)).\(Hexadecimal.text(hash.bytes.prefix(16))).0815"
        case .openID: return Base64URL.encode(Hash256(of: "openid \(person.id)").bytes.prefix(16))
        }
    }

    /// The address that the client sees.
    package var email: String? {
        guard scopes.contains("email"), let email = person.email else { return nil }
        guard kind == .apple, hidesEmail else { return email }
        let hash = Hash256(of: "relay \(client.group) \(person.id)")
        return "\(Hexadecimal.text(hash.bytes.prefix(5)))@privaterelay.appleid.com"
    }

    /// The last `count` digits of a number made from a hash.
    private static func decimal(_ hash: Hash256, _ count: Int) -> String {
        let number = UInt64(bigEndianBytes: hash.bytes.prefix(8))
        let digits = String(number)
        return String((String(repeating: "0", count: count) + digits).suffix(count))
    }
}

/// An issued code (RFC 6749 §4.1.2).
struct StandInCode: Sendable {
    let grant: StandInGrant
    let redirectURI: String
    let challenge: CodeChallenge?
    /// Whether redeeming it returns a refresh token.
    let isOffline: Bool
    let expiresAt: Date
    var isSpent = false
}

/// An issued access token or refresh token.
struct StandInToken: Sendable {
    let grant: StandInGrant
    let isRefreshToken: Bool
    let issuedAt: Date
    let expiresAt: Date
    var isRevoked = false
}
