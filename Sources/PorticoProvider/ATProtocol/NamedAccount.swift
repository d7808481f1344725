import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The account that `login_hint` of a client of the AT Protocol names: no one else may finish its
/// request (AT Protocol, OAuth, Authorization Requests).
enum NamedAccount: Hashable, Sendable {
    case did(DID)
    case handle(Handle)

    /// - Returns: `nil` where the client is none of the AT Protocol's, or names no account.
    /// - Throws: `invalid_request` for a hint that is neither, and for what only OpenID Connect has.
    init?(_ request: AuthorizationRequest, of client: Client) throws(OAuthError) {
        guard client.scopeRule == .atProtocol else { return nil }
        try Self.refuseOpenID(request, of: client)
        guard let hint = request.loginHint else { return nil }
        // Nothing is asked of that name, so it may be one of a test network.
        var rules = IdentityRules.production
        rules.allowsTest = true
        do {
            if hint.dropping("did:") != nil {
                self = .did(try DID(hint, rules))
            } else {
                self = .handle(try Handle(hint, rules))
            }
        } catch {
            throw OAuthError(.invalidRequest, "login_hint is neither a handle nor a DID.")
        }
    }

    private static func refuseOpenID(_ request: AuthorizationRequest, of client: Client)
        throws(OAuthError)
    {
        guard request.nonce == nil, request.claims == nil, request.idTokenHint == nil else {
            throw OAuthError(
                .invalidRequest,
                "nonce, claims and id_token_hint are for ID Tokens, which are not issued here."
            )
        }
        // A person always decides about a client that proves nothing.
        guard !request.prompt.contains(.none) || client.type == .confidential else {
            throw OAuthError(.invalidRequest, "prompt=none is for confidential clients.")
        }
    }

    /// A person's handle is their user name, or the attribute `handle`.
    func isOf(_ person: Person) -> Bool {
        switch self {
        case .did(let did): person.did.map { sameBytes($0, did.text) } ?? false
        case .handle(let handle):
            ([person.username] + (person.attributes["handle"] ?? [])).contains {
                sameBytes($0, handle.text)
            }
        }
    }
}
