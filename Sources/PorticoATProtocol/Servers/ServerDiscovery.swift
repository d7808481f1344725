import HTTPTypes
package import PorticoBytes
package import PorticoProtocol

/// Why it is not known where the accounts of a host sign in.
package enum DiscoveryError: Error, Hashable, Sendable {
    case hostUnreachable
    /// The host names no server, or more than one, or its document is not its own.
    case noServer
    case serverUnreachable
    case profile(AuthorizationServer.Refusal)
    /// The server does not list the host among those that it gives tokens for.
    case otherServer
    /// We are busy: a server was not asked.
    case busy
}

/// Finds the authorization server of a host (RFC 9728 §3, RFC 8414 §3; AT Protocol, OAuth).
package struct ServerDiscovery: Sendable {
    private let transport: any HTTPTransport
    private let cache: AnswerCache<AuthorizationServer>
    private let rules: IdentityRules
    private let clock: Clock

    /// How long a server's metadata is believed, in seconds.
    package static let freshness: Int64 = 300
    /// How many servers are remembered at most: some 10 KB each.
    package static let most = 512

    /// - Parameter transport: Guarded: strangers choose every address.
    package init(
        transport: any HTTPTransport,
        cache: AnswerCache<AuthorizationServer>,
        rules: IdentityRules = .production,
        clock: Clock
    ) {
        self.transport = transport
        self.cache = cache
        self.rules = rules
        self.clock = clock
    }

    /// - Parameters:
    ///   - wasNamed: Whether the sign-in began with this host: then it may be the server itself,
    ///     and host of no accounts.
    ///   - isFresh: Whether nothing is believed that was found before.
    package func server(of host: ServerOrigin, wasNamed: Bool, isFresh: Bool = false)
        async throws(DiscoveryError) -> AuthorizationServer
    {
        let question = "\(host.text) \(wasNamed)"
        if !isFresh, let known = cache.answer(to: question, at: clock.moment().seconds) {
            return known
        }
        cache.forget(question)
        let named = try await authorizationServer(namedBy: host)
        guard named != nil || wasNamed else { throw .noServer }
        var server = try await metadata(of: named ?? host)
        if named != nil, let hosts = server.protectedResources {
            guard hosts.contains(where: { sameBytes($0, host.text) }) else { throw .otherServer }
        }
        server.protectedResources = nil
        cache.keep(server, to: question, at: clock.moment().seconds)
        return server
    }

    /// The server of an issuer that is known, by its own metadata.
    package func knownServer(_ issuer: ServerOrigin) async throws(DiscoveryError)
        -> AuthorizationServer
    {
        let question = "\(issuer.text) itself"
        if let known = cache.answer(to: question, at: clock.moment().seconds) { return known }
        var server = try await metadata(of: issuer)
        server.protectedResources = nil
        cache.keep(server, to: question, at: clock.moment().seconds)
        return server
    }

    /// `nil` where the host has no such document, and so is host of no accounts.
    private func authorizationServer(namedBy host: ServerOrigin) async throws(DiscoveryError)
        -> ServerOrigin?
    {
        let reply: HTTPReply
        do {
            reply = try await fetch("/.well-known/oauth-protected-resource", from: host)
        } catch {
            throw error == .busy ? .busy : error == .tooLarge ? .noServer : .hostUnreachable
        }
        switch reply.response.status.code {
        case 200: break
        case 404: return nil
        case 500...599: throw .hostUnreachable
        default: throw .noServer
        }
        guard reply.mediaType == "application/json",
            let resource = ProtectedResource(parsing: reply.body, of: host, rules)
        else { throw .noServer }
        return resource.authorizationServer
    }

    private func metadata(of issuer: ServerOrigin) async throws(DiscoveryError)
        -> AuthorizationServer
    {
        let reply: HTTPReply
        do {
            reply = try await fetch("/.well-known/oauth-authorization-server", from: issuer)
        } catch {
            switch error {
            case .busy: throw .busy
            case .tooLarge: throw .profile(.notJSON)
            default: throw .serverUnreachable
            }
        }
        switch reply.response.status.code {
        case 200: break
        case 500...599: throw .serverUnreachable
        default: throw .noServer
        }
        guard reply.mediaType == "application/json" else { throw .profile(.notJSON) }
        do {
            return try AuthorizationServer(parsing: reply.body, of: issuer)
        } catch {
            throw .profile(error)
        }
    }

    private func fetch(_ path: String, from origin: ServerOrigin)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = origin.address(path) else { throw .malformed }
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.accept] = "application/json"
        return try await transport.send(request, body: [], limits: ProviderMetadata.limits)
    }
}
