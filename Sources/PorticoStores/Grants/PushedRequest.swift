package import PorticoBytes

/// An authorization request that a client pushed (RFC 9126).
package struct PushedRequest: Hashable, Sendable {
    /// The SHA-256 of the random part of `request_uri`.
    package var hash: Hash256
    package var realmID: String
    /// The UUID of the client that pushed it.
    package var clientID: String
    /// The request id that a code made from it carries.
    package var requestID: UniqueID
    /// The parameters, form-encoded, without client authentication; sealed.
    package var parameters: [UInt8]
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(
        hash: Hash256,
        realmID: String,
        clientID: String,
        requestID: UniqueID,
        parameters: [UInt8],
        expiresAt: Int64
    ) {
        self.hash = hash
        self.realmID = realmID
        self.clientID = clientID
        self.requestID = requestID
        self.parameters = parameters
        self.expiresAt = expiresAt
    }
}
