/// Why a client cannot be taken from its document (Client ID Metadata Document §4.1; AT Protocol,
/// OAuth).
package enum ClientDocumentRefusal: Error, Hashable, CaseIterable, Sendable {
    case address
    case clientHost
    case notJSON
    case clientID
    case scope
    case redirectURIs
    case redirectURI
    case applicationType
    case grantTypes
    case responseTypes
    case subjectType
    case dpop
    case method
    case algorithm
    case keys
    case keysAndAddress
    case keysAddress
    case secret
    case clientURI
    case uri
    case idTokenAlgorithm
}

extension ClientDocumentRefusal {
    /// What the client's developer is told (RFC 7591 §3.2.2).
    package var error: OAuthError {
        switch self {
        case .clientHost: OAuthError(.invalidClientID, words)
        case .redirectURI: OAuthError(.invalidRedirectURI, words)
        default: OAuthError(.invalidClientMetadata, words)
        }
    }

    /// A literal, so that it holds nothing of the document.
    private var words: StaticString {
        switch self {
        case .address:
            "client_id must be an https URL with a path, without port, query, fragment and dots."
        case .clientHost: "The host of client_id is not one of the public internet."
        case .notJSON: "The client's document is not a JSON object of at most 64 KiB."
        case .subjectType: "subject_type in the client's document must be public."
        case .clientID: "client_id in the client's document is not its address."
        case .scope:
            "scope in the client's document must be well-formed, and include atproto at a host of the AT Protocol."
        case .redirectURIs: "redirect_uris must be 1 to 32 texts."
        case .redirectURI: "A redirect URI does not fit client_id and application_type."
        case .applicationType: "application_type must be web or native."
        case .grantTypes:
            "grant_types must have authorization_code, and beside it only refresh_token."
        case .responseTypes: "response_types must have code alone."
        case .dpop: "dpop_bound_access_tokens must be true."
        case .method:
            "token_endpoint_auth_method must be none, or private_key_jwt of a web client."
        case .algorithm:
            "token_endpoint_auth_signing_alg does not fit token_endpoint_auth_method."
        case .keys: "private_key_jwt needs 1 to 16 public keys for signatures, each with a kid."
        case .keysAndAddress: "jwks and jwks_uri must not both be there."
        case .keysAddress: "jwks_uri must be an https URL of a public host, without port."
        case .secret: "A client's document must hold no secret."
        case .clientURI: "client_uri must be on the origin of client_id."
        case .uri: "logo_uri, tos_uri and policy_uri must be https URLs."
        case .idTokenAlgorithm: "id_token_signed_response_alg is not supported: no ID Tokens."
        }
    }
}
