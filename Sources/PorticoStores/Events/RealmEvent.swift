package import PorticoProtocol

/// Something that happened in a realm, for those who administer it (Keycloak `EventRepresentation`,
/// `AdminEventRepresentation`).
package struct RealmEvent: Hashable, Sendable {
    /// The place in the order of events; given by the store.
    package var number: Int64
    package var realmID: String
    /// Whether an administrator did it, by the administration over HTTP.
    package var isAdmin: Bool
    /// Milliseconds since 1970.
    package var at: Int64
    /// Keycloak's word: `LOGIN`; of an administrator's, what was done: `UPDATE`.
    package var kind: String
    /// A `client_id`.
    package var clientID: String?
    /// Whose it is; of an administrator's, who did it.
    package var personID: String?
    package var sessionID: String?
    package var address: String?
    /// Keycloak's word for what went wrong.
    package var error: String?
    package var details: JSONObject

    package init(
        realmID: String,
        isAdmin: Bool,
        at: Int64,
        kind: String,
        clientID: String? = nil,
        personID: String? = nil,
        sessionID: String? = nil,
        address: String? = nil,
        error: String? = nil,
        details: JSONObject = [:]
    ) {
        number = 0
        self.realmID = realmID
        self.isAdmin = isAdmin
        self.at = at
        self.kind = kind
        self.clientID = clientID
        self.personID = personID
        self.sessionID = sessionID
        self.address = address
        self.error = error
        self.details = details
    }
}

/// Which events are looked for. What is `nil` does not matter.
package struct RealmEventQuery: Hashable, Sendable {
    package var isAdmin: Bool
    /// Any of these; empty: of all kinds.
    package var kinds: [String] = []
    package var clientID: String?
    package var personID: String?
    package var address: String?
    /// Milliseconds since 1970, inclusive.
    package var from: Int64?
    /// Milliseconds since 1970, exclusive.
    package var to: Int64?
    package var isOldestFirst = false

    package init(isAdmin: Bool) {
        self.isAdmin = isAdmin
    }
}
