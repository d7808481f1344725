/// Who an account is, and where.
package struct ATIdentity: Hashable, Sendable {
    package let did: DID
    /// Confirmed both ways: it names the DID, whose document names it. `nil` if it does not.
    package let handle: Handle?
    /// The account's host, its PDS.
    package let host: ServerOrigin
    /// `false` where the handle is left out because whose it is could not be asked.
    package var isHandleKnown = true
}

/// Why an identity is not to be had.
package enum IdentityError: Error, Hashable, Sendable {
    /// No account has that handle.
    case handleNotFound
    /// Who has it could not be asked.
    case handleUnreachable
    /// It names several accounts.
    case handleAmbiguous
    /// The account that it names does not have it.
    case handleOfAnother
    /// No such DID, or no longer.
    case didNotFound
    /// The directory, or the host of a `did:web`.
    case directoryUnreachable
    case documentInvalid
    /// The document's host is not one that may be asked.
    case invalidHost
    /// The account has no host.
    case noHost
    /// We are busy: a server was not asked.
    case busy
}
