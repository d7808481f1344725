package import PorticoProtocol
package import PorticoStores

extension ClientRegistration {
    /// The field of a client that breaks a rule, and the rule. Fields have the names of RFC 7591
    /// §2.
    package enum Refusal: Error, Hashable, Sendable {
        case clientID
        case name
        case publicClientWithSecret
        case publicClientAuthenticates
        case confidentialClientWithoutMethod
        case missingSecret
        case secret
        case keySet
        case needlessKeySet
        case publicClientCredentials
        case publicClientWithoutPKCE
        case noRedirectURI
        case tooManyRedirectURIs
        /// The position in the list, from 0, and the problem.
        case redirectURI(index: Int, RedirectURI.Refusal)
        case postLogoutRedirectURI(index: Int, RedirectURI.Refusal)
        case postLogoutScheme(index: Int)
        case handOffOfConfidential
        case handOffByPattern
        case backchannelLogoutURI
        case backchannelLogoutSession
        /// A rule of one member alone.
        case member(MemberRefusal)
        case administers
        case webOrigin(index: Int)
        case tooManyMappers
        case mapper(index: Int)
        /// The realm has no active key for it.
        case idTokenAlgorithm(SignatureAlgorithm)
        case accessTokenAlgorithm(SignatureAlgorithm)
    }
}

extension ClientRegistration.Refusal {
    /// RFC 7591 §3.2.2.
    package var code: OAuthError.Code {
        switch self {
        case .redirectURI, .noRedirectURI, .tooManyRedirectURIs:
            .init(
                rawValue: "invalid_redirect_uri"
            )
        default: .init(rawValue: "invalid_client_metadata")
        }
    }

    /// The name of the field.
    package var field: StaticString {
        switch self {
        case .clientID: "client_id"
        case .name: "client_name"
        case .publicClientWithSecret, .missingSecret, .secret: "client_secret"
        case .publicClientAuthenticates, .confidentialClientWithoutMethod:
            "token_endpoint_auth_method"
        case .keySet, .needlessKeySet: "jwks"
        case .publicClientCredentials: "grant_types"
        case .publicClientWithoutPKCE: "pkce"
        case .noRedirectURI, .tooManyRedirectURIs, .redirectURI: "redirect_uris"
        case .postLogoutRedirectURI, .postLogoutScheme: "post_logout_redirect_uris"
        case .handOffOfConfidential, .handOffByPattern: "hand_off"
        case .backchannelLogoutURI: "backchannel_logout_uri"
        case .backchannelLogoutSession: "backchannel_logout_session_required"
        case .member(let refusal): refusal.member
        case .administers: "administers"
        case .webOrigin: "web_origins"
        case .tooManyMappers, .mapper: "mappers"
        case .idTokenAlgorithm: "id_token_signed_response_alg"
        case .accessTokenAlgorithm: "access_token_signed_response_alg"
        }
    }

    /// The position in a list, from 0.
    package var index: Int? {
        switch self {
        case .redirectURI(let index, _), .postLogoutRedirectURI(let index, _),
            .postLogoutScheme(let index), .webOrigin(let index), .mapper(let index):
            index
        default: nil
        }
    }

    /// One English sentence for the administrator.
    package var rule: StaticString {
        switch self {
        case .clientID: "A client_id has 1 to 200 visible ASCII characters (RFC 6749 A.1)."
        case .name: "A name is one line of at most 200 bytes."
        case .publicClientWithSecret:
            "A public client has no secret: every copy of the app would hold it (RFC 8252 8.5)."
        case .publicClientAuthenticates: "A public client authenticates by none (RFC 8252 8.4)."
        case .confidentialClientWithoutMethod:
            "A confidential client authenticates: basic, post or private_key_jwt (RFC 6749 2.3)."
        case .missingSecret: "This way of authentication needs a secret."
        case .secret: "A secret has 1 to 1024 ASCII characters (RFC 6749 A.2)."
        case .keySet:
            "private_key_jwt needs a JWK set of public signature keys, each of them usable here."
        case .needlessKeySet: "A JWK set belongs to private_key_jwt."
        case .publicClientCredentials:
            "client_credentials is for confidential clients only (RFC 6749 4.4)."
        case .publicClientWithoutPKCE: "A public client uses PKCE (RFC 8252 6, RFC 9700 2.1.1)."
        case .noRedirectURI:
            "Sign-ins need at least one redirect URI to end at (RFC 6749 3.1.2.2)."
        case .tooManyRedirectURIs: "A client has at most 100 redirect URIs of each kind."
        case .redirectURI(_, let refusal), .postLogoutRedirectURI(_, let refusal):
            refusal.description
        case .postLogoutScheme: "A confidential client returns to https (RP-Initiated Logout 3.1)."
        case .handOffOfConfidential: "An app of the backend is a public client: it has no secret."
        case .handOffByPattern: "An app of the backend has exact redirect URIs (RFC 8252 8.4)."
        case .backchannelLogoutURI:
            "It is https without a fragment; http only for a confidential client at 127.0.0.1 or [::1] (Back-Channel Logout 2.2)."
        case .backchannelLogoutSession:
            "It belongs to a backchannel_logout_uri (Back-Channel Logout 2.2)."
        case .member(let refusal): refusal.rule
        case .administers: "People administer by no client that asks them for consent."
        case .webOrigin:
            "A web origin is https://host or https://host:port as browsers write it, lower-case."
        case .tooManyMappers: "A client has at most 100 mappers."
        case .mapper:
            "A mapper needs a claim of at most 200 bytes that the protocol gives no meaning, and short texts."
        case .idTokenAlgorithm, .accessTokenAlgorithm:
            "The realm has no active key of this algorithm."
        }
    }
}
