import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `/v1/account/reauthentication`: for a program that got `reauthentication_required` (WEB-SESS-8)
/// when the person's provider cannot be made to ask.
struct ReauthenticationEndpoint: Sendable {
    let check: SessionCheck
    let emails: EmailCodes
    let cookies: SessionCookies
    let headers: SecurityHeaders

    /// Emails a code to the account's address.
    func start(_ context: BackendContext) async throws -> Response {
        try await emails.start(proving: try await check.changer(context), context)
        return Response(
            json: ["success": true, "expires_in": .integer(EmailCodes.lifetime)],
            headers: headers
        )
    }

    /// Proves the session that presents the code; a browser's session gets a new cookie.
    func confirm(_ context: BackendContext) async throws -> Response {
        let live = try await check.changer(context)
        let body = try BodyParameters(context)
        let code = try body.required("code")
        let (outcome, fields) = try await emails.prove(code, live, cookies, context)
        guard case .confirmed = outcome else {
            throw BackendError(.invalidGrant, "The code is wrong, used or expired.")
        }
        return Response(json: ["success": true], headers: headers).adding(fields)
    }
}
