import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A sign-in that one app handed on to another, or is about to: for the security log (RFC 8693 §2.1,
/// OpenID Connect Native SSO §4).
struct HandedOn: Sendable {
    let step: Event.Kind
    /// The grant of the app that handed it on.
    let parentID: UniqueID
    /// The person's `sub`, and the `sid` of the session.
    let personID: String?
    let sessionID: String?
    /// The `client_id` of the app that gets it.
    let target: String
}
