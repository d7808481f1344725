package import PorticoWeb

/// What is asked of the stand-in of a host of the AT Protocol.
package enum ATHostEndpoint: String, CaseIterable, Hashable, Sendable {
    /// The directory of DIDs: `/did:plc:…`.
    case directory
    /// The site of a handle: `/.well-known/atproto-did`.
    case handle
    /// RFC 9728 §3.
    case resourceMetadata
    /// RFC 8414 §3.
    case serverMetadata
    /// RFC 9126 §2.
    case pushed
    case token
    case revocation
    /// A method of the PDS: `/xrpc/{method}`.
    case xrpc
    /// Everything else of the authorization server: its pages and its keys.
    case other
}

/// A request to the stand-in of a host.
package struct ATHostCall: Sendable {
    package let endpoint: ATHostEndpoint
    package let request: Request
}

/// A document that a sign-in needs.
package enum ATHostDocument: String, CaseIterable, Hashable, Sendable {
    case did
    /// The text at the site of a handle.
    case handle
    case resourceMetadata
    case serverMetadata
    /// The client's own, which the authorization server fetches.
    case client
}
