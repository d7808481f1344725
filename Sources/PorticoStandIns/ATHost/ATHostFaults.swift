package import PorticoProtocol

/// The faults of the stand-in of a host of the AT Protocol. Tests change them while it runs, developers by
/// ``ATHostFaultForm``.
package struct ATHostFaults: Sendable {
    /// 503 without asking anybody.
    package var down: Set<ATHostEndpoint> = []
    /// An error of OAuth without asking the authorization server, from `pushed`, `token` or
    /// `revocation`.
    package var errors: [ATHostEndpoint: Refused] = [:]
    /// What is done is done, and the answer is lost on its way: 504, as from a proxy.
    package var losesAnswers: Set<ATHostEndpoint> = []
    /// Documents that are not there. Without the client's, the authorization server gives no tokens.
    package var gone: Set<ATHostDocument> = []
    /// Set in a document that is JSON and not the client's; `nil` removes the member.
    package var documents: [ATHostDocument: [String: JSONValue?]] = [:]
    /// Endless `use_dpop_nonce`, with a new nonce each time: `pushed`, `token`, `revocation`, `xrpc`.
    package var alwaysAsksForNonce: Set<ATHostEndpoint> = []
    /// Answers without a nonce, of the same endpoints.
    package var givesNoNonce: Set<ATHostEndpoint> = []
    package var tokenAnswer: [TokenFault] = []
    /// What happens when a refresh token is sent twice. `nil`: what the authorization server does.
    package var losers: Losers?
    /// The PDS calls every access token invalid.
    package var refusesAccessTokens = false

    package init() {}

    package struct Refused: Sendable {
        package let status: Int
        /// `error`.
        package let code: String

        package init(status: Int, code: String) {
            self.status = status
            self.code = code
        }

        static let invalidGrant = Refused(status: 400, code: "invalid_grant")
    }

    /// Of an answer with tokens.
    package enum TokenFault: Sendable {
        /// `nil` removes the member.
        case member(String, JSONValue?)

        package static let bearer = Self.member("token_type", "Bearer")
        /// Another account's tokens.
        package static func subject(_ did: String) -> Self { .member("sub", .string(did)) }
        package static func scope(_ text: String) -> Self { .member("scope", .string(text)) }
    }

    /// What those get who send a refresh token that another sent at the same time. Real servers do
    /// both. Sent after its successor was given, the session ends in both.
    package enum Losers: Sendable {
        /// 500. The winner's tokens are good.
        case serverError
        /// 400 `invalid_grant`, and the session of all is over, that of the winner, too.
        case invalidGrant
    }
}
