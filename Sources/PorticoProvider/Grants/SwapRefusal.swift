import PorticoProtocol

/// An old refresh token was not swapped. The client reads ``error``, which is the same whatever the
/// reason; the operator reads the reason in the log, and how often in `portico events --count`.
struct SwapRefusal: Error {
    let reason: Reason

    init(_ reason: Reason) {
        self.reason = reason
    }

    let error = OAuthError(.invalidGrant, "The refresh token is unknown, expired or revoked.")

    /// In the words of the log; docs/migrating-from-keycloak.md explains each.
    enum Reason: String, CaseIterable, Sendable {
        /// The key that it names did not make it, or by another algorithm.
        case signature
        case issuer
        /// Neither a refresh token nor an offline token.
        case kind = "type"
        case malformed
        /// The time for swaps is over.
        case closed
        /// Issued to another client, or to one that did not come with the realm.
        case client
        case expired
        case notYetValid = "not_yet_valid"
        /// Issued before all tokens of its realm, client or person were revoked.
        case notBefore = "not_before"
        /// It is bound to a key that was not proved, or to something that cannot be proved here.
        case bound
        /// No one has this `sub`, and no list says whose session it is.
        case person = "unknown_person"
        /// Disabled, or signed out everywhere since.
        case disabled
        /// Its session is on no list of those that were alive.
        case unlisted
        /// Its session has ended here, or what it was swapped for has.
        case ended
        /// The client may not have offline access any more.
        case scope
        /// The person does not allow the client what it had.
        case consent
    }
}
