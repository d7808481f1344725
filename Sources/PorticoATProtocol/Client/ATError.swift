import HTTPTypes
package import PorticoBytes
package import PorticoProtocol

/// Why an answer that says success is not used.
package enum ATAnswerFault: Error, Hashable, Sendable {
    /// The answer, or a token in it.
    case tooLarge
    /// Not JSON, or without `request_uri` of 1 to 512 visible bytes.
    case notPushed
    /// Not JSON, or without an access token.
    case notTokens
    /// Not `DPoP`: anyone who has such a token can use it.
    case tokenType
    /// Not there, or without `atproto`.
    case scope
    /// Not a DID.
    case subject
    /// Of another account than the one that was expected.
    case otherSubject
    /// The answer gives no nonce, as every one must.
    case noNonce
}

/// Why a server gave nothing. The same with status 400 and 401, because servers differ.
package enum ATError: Error, Equatable, Sendable {
    /// `invalid_grant`: the code or the refresh token is not good, or not any more.
    case invalidGrant
    /// We are refused as a client, so that no account can sign in there: our document, or our key.
    case client(OAuthError.Code)
    /// Another error of OAuth. Foreign text, bounded, and not for logs.
    case refused(OAuthError.Code)
    /// Asked for a nonce, the server was given its newest, and asked again.
    case nonce
    /// An answer without an error of OAuth, by its status; also 429, whatever it says.
    case server(status: Int)
    case network(HTTPTransportError)
    /// Our key cannot sign. Nothing was sent.
    case signing
    /// - Parameter successor: The refresh token of the answer. The one that was sent is spent, so a
    ///   session keeps this one in its place; a new session revokes it.
    case unusable(ATAnswerFault, successor: SecretText?)

    /// Whether the server certainly gave no new tokens, so that the refresh token that was sent is
    /// as good as before.
    package var isDefinite: Bool {
        switch self {
        case .invalidGrant, .client, .refused, .nonce, .signing: true
        case .server(let status): (400...499).contains(status)
        case .network(let error): [.busy, .refused, .untrusted].contains(error)
        case .unusable: false
        }
    }

    /// Whether the session is over. Everything else may be the server's trouble, or ours: the
    /// session stays.
    package var endsSession: Bool { self == .invalidGrant }
}

extension ATError {
    /// - Parameter reply: Without success.
    init(_ reply: HTTPReply) {
        let status = reply.response.status.code
        guard status != 429, let code = ErrorResponse(reply)?.code else {
            self = .server(status: status)
            return
        }
        switch code {
        case .useDPoPNonce: self = .nonce
        case .invalidGrant where status == 400 || status == 401: self = .invalidGrant
        case .invalidClient, .unauthorizedClient, .invalidClientMetadata, .invalidClientID,
            .invalidRedirectURI:
            self = .client(code)
        default: self = .refused(code)
        }
    }
}
