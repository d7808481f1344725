import HTTPTypes
import PorticoBytes
package import PorticoProtocol
import PorticoWeb

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

/// `/_faults`: how a developer makes the host misbehave, also in a demo. Each POST says all that is
/// wrong from then on; one without fields mends everything.
struct ATHostFaultForm: Sendable {
    let host: ATHost
    let headers: SecurityHeaders

    static let path = "/_faults"

    /// What can be said.
    func get(_ context: RequestContext) -> Response {
        Response(json: Self.choices, headers: headers)
    }

    /// For `curl -d`: a page that a browser shows has no say.
    func post(_ context: RequestContext) throws -> Response {
        guard context.headers[.origin] == nil else {
            return Response(empty: .forbidden, headers: headers)
        }
        var faults = ATHostFaults()
        let form = try context.form()
        try form.refuseRepeats()
        for (name, values) in form.all {
            for value in values.split(separator: ",", omittingEmptySubsequences: false) {
                guard Self.set(name, String(value), in: &faults) else {
                    return Response(json: Self.choices, status: .badRequest, headers: headers)
                }
            }
        }
        host.configure { $0 = faults }
        var said: JSONObject = [:]
        for (name, value) in form.all { said[name] = .string(value) }
        return Response(json: .object(said), headers: headers)
    }

    /// The endpoints that take proofs.
    private static let proven: Set<ATHostEndpoint> = [.pushed, .token, .revocation, .xrpc]

    private static let choices: JSONValue = [
        "nonce": "always: another is wanted each time; never: no answer has one",
        "losers": "server_error or invalid_grant, for a refresh token that is sent twice",
        "access_token": "refused",
        "sub": "a DID, in answers with tokens",
        "scope": "in answers with tokens",
        "token_type": "in answers with tokens",
        "gone": .string(ATHostDocument.allCases.map(\.rawValue).joined(separator: ", ")),
        "down": .string(ATHostEndpoint.allCases.map(\.rawValue).joined(separator: ", ")),
        "lost": "the answers of token, xrpc and others: what is asked is done, and then 504",
    ]

    /// - Returns: Whether there is such a fault.
    private static func set(_ name: String, _ value: String, in faults: inout ATHostFaults) -> Bool
    {
        switch (name, value) {
        case ("nonce", "always"): faults.alwaysAsksForNonce = proven
        case ("nonce", "never"): faults.givesNoNonce = proven
        case ("losers", "server_error"): faults.losers = .serverError
        case ("losers", "invalid_grant"): faults.losers = .invalidGrant
        case ("access_token", "refused"): faults.refusesAccessTokens = true
        case ("sub", _), ("scope", _), ("token_type", _):
            faults.tokenAnswer[name] = .string(value)
        case ("gone", _):
            guard let document = ATHostDocument(wire: value) else { return false }
            faults.gone.insert(document)
        case ("down", _):
            guard let endpoint = ATHostEndpoint(wire: value) else { return false }
            faults.down.insert(endpoint)
        case ("lost", _):
            guard let endpoint = ATHostEndpoint(wire: value) else { return false }
            faults.losesAnswers.insert(endpoint)
        default: return false
        }
        return true
    }
}
