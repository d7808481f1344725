package import PorticoProtocol

/// The faults of the stand-in of a host of the AT Protocol. Developers set them by ``ATHostFaultForm``.
package struct ATHostFaults: Sendable {
    /// 503 without asking anybody.
    package var down: Set<ATHostEndpoint> = []
    /// What is done is done, and the answer is lost on its way: 504, as from a proxy.
    package var losesAnswers: Set<ATHostEndpoint> = []
    /// Documents that are not there. Without the client's, the authorization server gives no tokens.
    package var gone: Set<ATHostDocument> = []
    /// Endless `use_dpop_nonce`, with a new nonce each time: `pushed`, `token`, `revocation`, `xrpc`.
    package var alwaysAsksForNonce: Set<ATHostEndpoint> = []
    /// Answers without a nonce, of the same endpoints.
    package var givesNoNonce: Set<ATHostEndpoint> = []
    /// Set in answers with tokens.
    package var tokenAnswer: JSONObject = [:]
    /// What happens when a refresh token is sent twice. `nil`: what the authorization server does.
    package var losers: Losers?
    /// The PDS calls every access token invalid.
    package var refusesAccessTokens = false

    package init() {}

    struct Refused: Sendable {
        let status: Int
        /// `error`.
        let code: String

        static let invalidGrant = Refused(status: 400, code: "invalid_grant")
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
