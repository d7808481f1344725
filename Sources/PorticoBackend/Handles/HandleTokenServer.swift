import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Finds the servers that issued the tokens of sessions by handle.
protocol HandleTokenServers: Sendable {
    /// The server that a session's DID names now, or if that cannot be found out, the one that the
    /// session names. Only the server's metadata is requested.
    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer

    /// The server that issued a session's tokens, whatever its DID says now, to revoke them. Its
    /// metadata is requested, as any server's.
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
    /// The person's host has another server now, which does not know these tokens.
    case movedAway
    /// Our key that the session began with must no longer be used (ATP-CA-6).
    case keyWithdrawn
    /// We are busy: the server was not asked.
    case busy
    /// It does not answer, or its answer is unusable.
    case unreachable
}

/// Requests to a session's server, as the client that the session began with.
protocol HandleTokenServer: Sendable {
    /// Exchanges a refresh token. The whole takes less than ``RefreshLease/seconds``; the token
    /// is sent again only if the server asks for a nonce.
    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens

    /// Revokes a token.
    ///
    /// - Returns: Whether nothing is left to be done.
    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool
}

/// New tokens of the session's own person: the client has compared `sub`.
struct RefreshedTokens: Sendable {
    var access: SecretText
    /// `nil`: the refresh token that was sent stays valid.
    var refresh: SecretText?
    /// Seconds from now, if the server says so.
    var expiresIn: Int64?
    var scope: String
    /// The account's present host; `nil` if that could not be found out.
    var host: String?
    /// Its confirmed handle, or `handle.invalid`; `nil` if that could not be found out.
    var handle: String?
}

enum HandleRefreshFailure: Error, Sendable {
    /// The refresh token is invalid, or no longer valid.
    case invalidGrant
    /// The tokens of the answer are another person's.
    case otherSubject(refresh: SecretText?)
    /// A successful but unusable answer. The token that was sent is spent.
    case unusable(successor: SecretText?)
    /// We are busy: nothing was sent.
    case busy
    /// Any other failure.
    ///
    /// - Parameter isUnspent: Whether the refresh token certainly still works.
    case failed(isUnspent: Bool)
}
