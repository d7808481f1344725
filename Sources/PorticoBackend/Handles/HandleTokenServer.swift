import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Finds the servers that sessions by handle have their tokens from.
protocol HandleTokenServers: Sendable {
    /// The server of a session, by what its DID says now; if that cannot be found out, by what the
    /// session says. Nothing is sent to the server but a question for its metadata.
    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer

    /// The server that gave a session its tokens, whatever its DID says now: it is still to take them
    /// back. It is asked for its own metadata, as any server.
    func formerServer(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
}

extension HandleTokenServers {
    func formerServer(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        throw .movedAway
    }
}

enum HandleServerFailure: Error, Hashable, Sendable {
    /// The person's host has another server by now, which knows nothing of these tokens.
    case movedAway
    /// The key of ours that the session began with must not be used any more (ATP-CA-6).
    case keyWithdrawn
    /// We are busy: it was not asked.
    case busy
    /// It does not answer, or with what is no use.
    case unreachable
}

/// What is asked of a session's server, as the client that the session began with.
protocol HandleTokenServer: Sendable {
    /// Exchanges a refresh token. The whole takes less than ``RefreshLease/seconds``; the token
    /// goes out again only where the server asks for a nonce.
    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens

    /// Ends what a token stands for.
    ///
    /// - Returns: Whether nothing is left to be done.
    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool
}

/// Of the person whose session it is: the client has compared `sub`.
struct RefreshedTokens: Sendable {
    var access: SecretText
    /// `nil`: the one that was sent stays good.
    var refresh: SecretText?
    /// Seconds from now, if the server says so.
    var expiresIn: Int64?
    var scope: String
    /// Where the account is by now; `nil` if that could not be found out.
    var host: String?
    /// Its confirmed handle, or `handle.invalid`; `nil` if that could not be found out.
    var handle: String?
}

enum HandleRefreshFailure: Error, Sendable {
    /// The refresh token is not good, or not any more.
    case invalidGrant
    /// The tokens of the answer are another person's.
    case otherSubject(refresh: SecretText?)
    /// An answer that says success and is no use. The token that was sent is spent.
    case unusable(successor: SecretText?)
    /// We are busy: nothing was sent.
    case busy
    /// Everything else.
    ///
    /// - Parameter isUnspent: Whether the refresh token is certainly as good as before.
    case failed(isUnspent: Bool)
}
