import PorticoBytes

/// A client that another one may hand its sign-in on to: by a login token (RFC 8693 §2.1) or by a
/// device secret (OpenID Connect Native SSO §4).
package struct LoginTokenTarget: Hashable, Sendable {
    /// `client_id` of the one that gets the sign-in.
    package var clientID: String
    /// Whether a login token in the query of a request is taken without asking the person: then a
    /// link signs in.
    package var isSilent: Bool

    package init(clientID: String, isSilent: Bool = false) {
        self.clientID = clientID
        self.isSilent = isSilent
    }
}

extension Client {
    /// - Returns: `nil` if this client may not hand its sign-in on to that one.
    package func loginTokenTarget(_ clientID: String) -> LoginTokenTarget? {
        loginTokenTargets.first { sameBytes($0.clientID, clientID) }
    }
}
