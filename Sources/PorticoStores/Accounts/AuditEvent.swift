package import PorticoBytes

/// Something that happened to an account, for its person and for the operator; or to a
/// client of a realm, for the latter.
package struct AuditEvent: Hashable, Sendable {
    /// The place in the order of events; given by the store.
    package var number: Int64
    package var kind: Kind
    package var at: Int64
    /// The account may be gone by now.
    package var accountID: UniqueID?
    package var provider: String?
    package var app: String?
    package var device: String?
    package var address: String?
    /// The realm's name.
    package var realm: String?
    /// A `client_id` of that realm.
    package var client: String?
    /// A word that never changes.
    package var reason: String?

    package enum Kind: String, CaseIterable, Sendable {
        case registered = "account.registered"
        case signedIn = "sign_in.ok"
        case signInBlocked = "sign_in.blocked"
        /// An app got its session with its code.
        case handOffRedeemed = "hand_off.redeemed"
        case handOffRefused = "hand_off.refused"
        case signedOut = "sign_out"
        case signedOutEverywhere = "sign_out.everywhere"
        case signedOutByProvider = "sign_out.provider"
        case wayAdded = "way.added"
        case wayRemoved = "way.removed"
        /// The session's person has proven by a mailed code who they are.
        case proven = "sign_in.proven"
        case emailConfirmed = "email.confirmed"
        /// Another account has proven the address, which was only vouched for here, or not even that.
        case emailLost = "email.lost"
        case accountClaimed = "account.claimed"
        case refreshReplayed = "refresh.replayed"
        case blocked = "account.blocked"
        case unblocked = "account.unblocked"
        case deleted = "account.deleted"
        /// A client of a realm did not prove itself.
        case clientRefused = "client.refused"
        /// A host has given new tokens for a session by handle.
        case handleRefreshed = "handle.refreshed"
        /// A host has ended a session by handle; the reason says why.
        case handleEnded = "handle.ended_by_host"
        /// The tokens of a session that is over were taken back, or given up for the reason.
        case handleRevoked = "handle.revoked"
        /// A session by handle came from another system.
        case sessionImported = "session.imported"
        /// The reason of both is the id of the key that we prove ourselves by at hosts.
        case handleKeyAdded = "handle_key.added"
        case handleKeyWithdrawn = "handle_key.withdrawn"

        package static let all = Set(allCases)
    }

    package init(
        number: Int64,
        kind: Kind,
        at: Int64,
        accountID: UniqueID?,
        provider: String? = nil,
        app: String? = nil,
        device: String? = nil,
        address: String? = nil
    ) {
        self.number = number
        self.kind = kind
        self.at = at
        self.accountID = accountID
        self.provider = provider
        self.app = app
        self.device = device
        self.address = address
    }
}
