import PorticoBytes
package import PorticoProtocol

/// A set of people, clients and keys with one issuer (`/realms/{name}`).
package struct Realm: Hashable, Sendable {
    /// A UUID; never changes.
    package var id: String
    /// The segment of the path: letters, digits, `-`, `_` and `.`, at most 64.
    package var name: String
    /// What people read on the pages.
    package var displayName: String
    /// Fixed at creation (docs/decisions/0036): every token names it.
    package var issuer: String
    package var isEnabled = true
    package var lifetimes = Lifetimes()
    /// The algorithm of tokens, where a client does not ask for another.
    package var signingAlgorithm = SignatureAlgorithm.es256
    /// `typ` of access tokens, where a client does not ask for another.
    package var accessTokenType = AccessTokenType.atJWT
    /// Tokens issued before are refused. Seconds since 1970; 0 means none is.
    package var notBefore: Int64 = 0
    /// Whether people sign in with a password; otherwise with identity providers only.
    package var signsInWithPassword = true
    /// Whether an e-mail address is accepted in place of the user name.
    package var signsInWithEmail = true
    /// Whether a person who does not know their password may choose a new one by way of their
    /// mailbox. It takes a server that sends mail.
    package var allowsPasswordReset = true
    /// Whether people confirm their address before an app gets anything. It takes a server that
    /// sends mail.
    package var confirmsEmail = false
    /// Whether people may delete their own account.
    package var allowsDeletion = true
    /// How people who have no account make one; `nil`: they cannot.
    package var registration: Registration?
    /// Whether an ID Token alone, without the cookie of its session, ends that session at once
    /// (docs/decisions/0018). Realms that come from Keycloak have apps that rely on it.
    package var signsOutByHintAlone = false
    package var errorStyle = ErrorStyle.code
    package var mappers: [ClaimMapper] = []
    /// The names of levels of authentication (`acr`, OpenID Connect Core §2).
    package var acrLevels: [String: Int64] = [:]
    /// The language of people whose browser prefers none that the pages have.
    package var defaultLanguage: String?
    /// How many periods the clock of a person's authenticator may be wrong (RFC 6238 §5.2).
    package var codeDrift: Int64 = 0
    package var events = EventPolicy()
    /// What new people get.
    package var defaultRoles: [RoleName] = []
    package var defaultGroupIDs: [String] = []
    /// The scopes that a new client gets whose tokens have what mappers write.
    package var defaultClientScopes: [String] = []
    /// Those that it may ask for.
    package var optionalClientScopes: [String] = []
    /// What the file that it came from says besides.
    package var kept: KeptRepresentation?
    /// Whether refresh tokens of the server before are swapped for new ones; `nil`: they are not.
    package var tokenSwap: TokenSwap?
    package var profile = RealmProfile()

    package init(id: String, name: String, displayName: String, issuer: String) {
        self.id = id
        self.name = name
        self.displayName = displayName
        self.issuer = issuer
        // Its people administer the server.
        allowsDeletion = name != "master"
    }

    /// What a person who registers gives as the name to sign in with (docs/decisions/0052).
    package enum Registration: String, CaseIterable, Sendable {
        /// A name that they choose.
        case username
        /// Their e-mail address, which is the user name too. It takes a server that sends mail.
        case email
    }

    /// What programs are told where there is no such address or method.
    package enum ErrorStyle: String, CaseIterable, Sendable {
        /// `not_found`. A program says that it is one (`Accept`).
        case code
        /// `HTTP 404 Not Found`. A client that does not ask for a page is a program.
        case phrase
    }

    /// Which events are kept for those who administer the realm, besides what its operator has to see
    /// (``Event/Kind/isOperators``).
    package struct EventPolicy: Hashable, Sendable {
        /// Whether what people and apps do is kept,
        package var keepsSignIns = false
        /// and which kinds; `nil`: all.
        package var kinds: Set<Event.Kind>?
        /// Whether what administrators do, which is always kept, is shown to other administrators.
        package var keepsAdministration = false
        /// After how many seconds events of people and apps are over; `nil`: never.
        package var lifetime: Int64?

        package init() {}

        package func keeps(_ kind: Event.Kind) -> Bool {
            keepsSignIns && kinds?.contains(kind) != false
        }
    }

    /// How long things live, in seconds.
    package struct Lifetimes: Hashable, Sendable {
        package var accessToken: Int64 = 300
        package var code: Int64 = 60
        /// A browser session that is not used ends after this time,
        package var sessionIdle: Int64 = 1800
        /// and any session after this.
        package var sessionMaximum: Int64 = 36_000
        /// How long the server before kept a session that was to be remembered.
        package var formerSessionMaximum: Int64 = 0
        /// An app on a device (``StaySignedIn/realm``) that is not used is signed out after this time.
        package var appIdle: Int64 = 2_592_000
        package var offlineIdle: Int64 = 2_592_000
        /// `nil`: an offline grant in use lives on.
        package var offlineMaximum: Int64?
        /// For clients that send neither a DPoP key nor an `Idempotency-Key`: how long the same
        /// refresh token gives the same successor again.
        package var refreshGrace: Int64 = 60
        package var pushedRequest: Int64 = 90

        package init() {}
    }

    /// Whether `name` may be a realm's: it becomes part of paths and cookie names.
    package static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
    }
}
