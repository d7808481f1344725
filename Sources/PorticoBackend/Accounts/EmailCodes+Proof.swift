import HTTPTypes
import PorticoBytes
import PorticoStores
import PorticoWeb

/// Codes that prove that the holder of a session is its account's person (WEB-SESS-8), for
/// providers that cannot be made to ask.
extension EmailCodes {
    /// Sends a code to the account's address.
    ///
    /// - Throws: `conflict` if it has none.
    func start(proving live: LiveAccountSession, _ context: BackendContext) async throws {
        guard let address = live.account.email?.address else {
            throw BackendError(.conflict, "The account has no e-mail address.")
        }
        try await send(
            to: address,
            owner: Self.prover(of: live),
            asker: Self.asker(live.account),
            use: .confirmItsYou,
            live.account.language,
            context
        )
    }

    /// - Returns: The outcome, and the field that sets a browser's new session cookie: the one from
    ///   before the proof is no longer valid (WEB-SESS-1).
    func prove(
        _ code: String,
        _ live: LiveAccountSession,
        _ cookies: SessionCookies,
        _ context: BackendContext
    ) async throws -> (outcome: EmailConfirmationOutcome, cookies: [HTTPField]) {
        var value: String?
        if case .browser = live.session.form { value = context.moment.random.text(32) }
        let outcome = try await present(
            code,
            Self.prover(of: live),
            Self.asker(live.account),
            .prove(
                sessionID: live.session.id,
                cookieHash: value.map { Hash256(of: $0) }
            ),
            context
        )
        guard case .confirmed = outcome, let value else { return (outcome, []) }
        let isRemembered = live.session.idleSeconds > SessionCookies.plain
        return (outcome, [try cookies.setSession(value, isRemembered: isRemembered)])
    }

    /// A code is valid only in the session that requested it.
    private static func prover(of live: LiveAccountSession) -> Hash256 {
        Hash256(of: Array("session ".utf8) + live.session.id.bytes)
    }
}
