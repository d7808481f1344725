import HTTPTypes
import PorticoProtocol
import PorticoSystem

/// Fetches the provider's metadata from its well-known address (OpenID Connect Discovery 1.0 §4,
/// RFC 8414 §3).
struct Discovery: Sendable {
    let issuer: Issuer
    let http: ProviderHTTP

    /// How many addresses may be asked.
    static let addresses = 2

    /// A valid document, and what its reply said of caching.
    struct Found: Sendable {
        let metadata: ProviderMetadata
        let maxAge: TimeInterval?
        let mayBeStored: Bool
    }

    func result(pkceUnannounced: Bool) async -> Result<Found, SignInError> {
        do throws(SignInError) {
            let found = try await found()
            try Self.check(found.metadata, pkceUnannounced: pkceUnannounced)
            return .success(found)
        } catch {
            return .failure(error)
        }
    }

    static func check(_ metadata: ProviderMetadata, pkceUnannounced: Bool) throws(SignInError) {
        guard metadata.servesCodeFlow else {
            throw SignInError(.misconfigured(.codeFlowNotSupported))
        }
        // Without an announcement, it is unknown whether the challenge is checked (RFC 7636 §7.2).
        guard metadata.announcesS256 || pkceUnannounced else {
            throw SignInError(.misconfigured(.pkceNotAnnounced))
        }
    }

    /// Fetches from OpenID's address, and from OAuth's if OpenID's has no document. An invalid
    /// document is an error; the other address is not tried.
    private func found() async throws(SignInError) -> Found {
        for address in [issuer.openIDConfiguration, issuer.authorizationServerMetadata] {
            guard let address else { continue }
            let limits = ProviderMetadata.limits
            let reply = try await http.get(address.text, limits: limits, check: .metadata)
            switch reply.response.status.code {
            case 200:
                return Found(
                    metadata: try read(reply),
                    maxAge: reply.maxAge,
                    mayBeStored: reply.mayBeStored
                )
            case 400, 401, 403, 404, 405, 406, 410: continue
            default: throw http.failure(of: reply)
            }
        }
        throw SignInError(.misconfigured(.discoveryNotFound))
    }

    private func read(_ reply: HTTPReply) throws(SignInError) -> ProviderMetadata {
        guard reply.isJSON else { throw SignInError(.rejected(.metadata.notJSON)) }
        do {
            return try ProviderMetadata(parsing: reply.body, of: issuer)
        } catch {
            throw SignInError(error)
        }
    }
}

extension SignInError {
    init(_ refusal: ProviderMetadata.Refusal) {
        let member = refusal.member
        switch refusal.kind {
        case .malformed: self.init(.rejected(.metadata))
        case .otherIssuer: self.init(.rejected(.metadataIssuer))
        case .missingMember, .malformedMember:
            self.init(.misconfigured(.metadataInvalid.naming(member)))
        case .insecureEndpoint: self.init(.misconfigured(.endpointInsecure.naming(member)))
        }
    }
}
