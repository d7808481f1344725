import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoSignIn

/// Redeems the code of a sign-in by handle, and proves which account its tokens belong to
/// (ATP-CB-2 to -7).
struct HandleRedemption: Sendable {
    let live: HandleDirectory.Live

    /// Tokens, and their account, confirmed by its own document.
    struct Proven: Sendable {
        let tokens: ATTokens
        let identity: ATIdentity
        let issuer: ServerOrigin
        let client: ATClientIdentity
        let taking: Taking
    }

    /// How to revoke the tokens.
    struct Taking: Sendable {
        let servers: ATClient
        let server: AuthorizationServer
        let client: ATClientIdentity
        let key: DPoPKey

        /// Does not wait for the server.
        func callAsFunction(_ token: SecretText?) {
            guard let token else { return }
            Task { await servers.revoke(token, at: server, as: client, key: key) }
        }

        func callAsFunction(_ tokens: ATTokens) { self(tokens.refresh ?? tokens.access) }
    }

    enum Failure: Error, Hashable, Sendable {
        case fault(HandleFault)
        /// We are busy, and the code was not spent: the same answer may come again.
        case busy
        /// The account signs in at another server than the one that answered.
        case elsewhere(DID, AuthorizationServer)
    }

    /// The code is redeemed before anything slow: at some servers it ends when the person reloads
    /// the page.
    func callAsFunction(_ code: SecretText, of attempt: HandleAttempt) async throws(Failure)
        -> Proven
    {
        // A key withdrawn meanwhile never comes back, so the person begins again.
        guard let client = live.client(live.client.clientID, keyID: attempt.clientKeyID) else {
            throw .fault(.notFinished)
        }
        let (server, did) = try await server(of: attempt)
        let taking = Taking(
            servers: live.strangers.servers,
            server: server,
            client: client,
            key: attempt.key
        )
        let tokens: ATTokens
        do {
            tokens = try await live.strangers.servers.redeem(
                code,
                verifier: attempt.verifier,
                of: did,
                at: server,
                as: client,
                key: attempt.key
            )
        } catch {
            if case .unusable(_, let successor) = error { taking(successor) }
            if case .unusable(.otherSubject, _) = error {
                throw .fault(.otherAccount(attempt.handle))
            }
            let fault = HandleFault(error, of: server.issuer.host)
            throw fault == .busy ? .busy : .fault(fault)
        }
        do throws(Failure) {
            let identity = try await identity(tokens.subject, at: server)
            return Proven(
                tokens: tokens,
                identity: identity,
                issuer: server.issuer,
                client: client,
                taking: taking
            )
        } catch {
            taking(tokens)
            throw error
        }
    }

    /// The server that the attempt began at, usually still in memory.
    private func server(of attempt: HandleAttempt) async throws(Failure)
        -> (AuthorizationServer, DID?)
    {
        let (host, did): (ServerOrigin, DID?)
        do {
            host = try ServerOrigin(attempt.host, live.rules)
            did = try attempt.did.map { try DID($0, live.rules) }
        } catch {
            throw .busy
        }
        do throws(DiscoveryError) {
            let server = try await live.strangers.discovery.server(of: host, wasNamed: did == nil)
            guard sameBytes(server.issuer.text, attempt.issuer) else { throw .otherServer }
            return (server, did)
        } catch {
            throw error == .busy ? .busy : .fault(HandleFault(error, of: host.host))
        }
    }

    /// The account in `sub` says which server speaks for it: without this, any server could name
    /// anyone (ATP-CB-4, attack G08).
    private func identity(_ did: DID, at server: AuthorizationServer) async throws(Failure)
        -> ATIdentity
    {
        let identity: ATIdentity
        do {
            identity = try await live.strangers.identities.identity(of: did, isFresh: true)
        } catch {
            let directory = live.provider.directory.host
            throw .fault(HandleFault(error, of: did.text, directory: directory))
        }
        let own: AuthorizationServer
        do {
            own = try await live.strangers.discovery.server(
                of: identity.host,
                wasNamed: false,
                isFresh: true
            )
        } catch {
            throw .fault(HandleFault(error, of: identity.host.host))
        }
        guard own.issuer == server.issuer else { throw .elsewhere(did, own) }
        return identity
    }
}
