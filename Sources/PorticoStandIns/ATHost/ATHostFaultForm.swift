import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

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
