import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoSignIn

/// The servers of sessions by handle, found as at a sign-in.
struct ATTokenServers: HandleTokenServers {
    let directory: ProviderDirectory

    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        guard let live = directory.handles else { throw .unreachable }
        guard let client = live.client(session.clientID, keyID: session.clientKeyID) else {
            throw .keyWithdrawn
        }
        let did: DID
        let (host, handle): (ServerOrigin, String?)
        do {
            did = try DID(session.did, live.rules)
            (host, handle) = try await self.host(of: did, session, live)
        } catch {
            throw .unreachable
        }
        let server: AuthorizationServer
        do {
            server = try await live.known.discovery.server(of: host, wasNamed: false)
        } catch {
            throw error == .busy ? .busy : .unreachable
        }
        guard sameBytes(server.issuer.text, session.issuer) else { throw .movedAway }
        return Server(
            servers: live.known.servers,
            server: server,
            client: client,
            did: did,
            host: host.text,
            handle: handle
        )
    }

    func formerServer(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        guard let live = directory.handles else { throw .unreachable }
        guard let client = live.client(session.clientID, keyID: session.clientKeyID) else {
            throw .keyWithdrawn
        }
        let server: AuthorizationServer
        do throws(DiscoveryError) {
            let issuer: ServerOrigin
            do {
                issuer = try ServerOrigin(session.issuer, live.rules)
            } catch {
                throw .noServer
            }
            server = try await live.known.discovery.knownServer(issuer)
        } catch {
            switch error {
            case .busy: throw .busy
            case .hostUnreachable, .serverUnreachable: throw .unreachable
            // It is no longer a server, so its tokens are useless too.
            case .noServer, .otherServer, .profile: throw .movedAway
            }
        }
        do {
            return Server(
                servers: live.known.servers,
                server: server,
                client: client,
                did: try DID(session.did, live.rules),
                host: session.host,
                handle: nil
            )
        } catch {
            throw .movedAway
        }
    }

    private func host(of did: DID, _ session: HandleSession, _ live: HandleDirectory.Live)
        async throws -> (ServerOrigin, String?)
    {
        do {
            let identity = try await live.known.identities.identity(of: did)
            let invalid = identity.isHandleKnown ? Handle.invalid : nil
            return (identity.host, identity.handle?.text ?? invalid)
        } catch {
            // A failing directory says nothing about the session.
            return (try ServerOrigin(session.host, live.rules), nil)
        }
    }

    private struct Server: HandleTokenServer {
        let servers: ATClient
        let server: AuthorizationServer
        let client: ATClientIdentity
        let did: DID
        let host: String
        let handle: String?

        func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
            -> RefreshedTokens
        {
            let tokens: ATTokens
            do {
                tokens = try await servers.refresh(token, of: did, at: server, as: client, key: key)
            } catch {
                throw HandleRefreshFailure(error)
            }
            return RefreshedTokens(
                access: tokens.access,
                refresh: tokens.refresh,
                expiresIn: tokens.expiresIn,
                scope: tokens.scope.text,
                host: host,
                handle: handle
            )
        }

        func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool {
            await servers.revoke(token, at: server, as: client, key: key)
        }
    }
}

extension HandleRefreshFailure {
    init(_ error: ATError) {
        self =
            switch error {
            case _ where error.endsSession: .invalidGrant
            case .network(.busy): .busy
            case .unusable(.otherSubject, let successor): .otherSubject(refresh: successor)
            case .unusable(_, let successor): .unusable(successor: successor)
            default: .failed(isUnspent: error.isDefinite)
            }
    }
}

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
