import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// `POST /v1/auth/token`: an app redeems its hand-off code (decision 1, WEB-BFF-8).
struct AppTokenEndpoint: Sendable {
    let directory: BackendDirectory
    let accounts: any AccountStore
    let ring: KeyRing
    let headers: SecurityHeaders
    let events: BackendEvents
    /// Wrong presentations of an address.
    let guesses: RateLimiter

    private static let refusal = BackendError(
        .invalidGrant,
        "The code is unknown, used, expired, or was presented wrongly."
    )

    func post(_ visit: BackendVisit) async throws -> Response {
        if case .wait(let seconds) = guesses.check(visit.address, at: visit.moment.now) {
            throw BackendError(.rateLimited, "Too many wrong codes.", retryAfter: seconds)
        }
        let body = try await BodyParameters(visit)
        guard try body.required("grant_type") == "authorization_code" else {
            throw BackendError(.invalidRequest, "grant_type must be authorization_code.")
        }
        let presentation = try presentation(body, visit)
        switch try await accounts.redeem(presentation, at: visit.now) {
        case .redeemed(let live, let isNew):
            let answer = AppSessionAnswer(live: live, state: presentation.refresh, isNew: isNew)
            return Response(
                json: try answer.json(ring: ring, at: visit.now),
                headers: headers
            )
        case .refused(let refusal):
            events.handOffRefused(refusal, app: presentation.app, visit)
            guesses.countFailure(visit.address, at: visit.moment.now)
            throw Self.refusal
        case .unknown:
            guesses.countFailure(visit.address, at: visit.moment.now)
            throw Self.refusal
        }
    }

    /// Whatever has the shape of a code is presented, right or wrong: so a wrong presentation
    /// spends the code.
    private func presentation(_ body: BodyParameters, _ visit: BackendVisit)
        throws(BackendError) -> HandOffPresentation
    {
        let code = try body.required("code")
        let verifier = try body.required("code_verifier")
        let app: App
        do {
            app = try directory.apps.app(named: try body.optional("app"))
        } catch {
            throw error.code == .missingParameter ? error : Self.refusal
        }
        guard let redirectURI = try body.optional("redirect_uri") ?? app.onlyRedirectURI else {
            throw BackendError(.missingParameter, "redirect_uri is required for this app.")
        }
        return HandOffPresentation(
            codeHash: Hash256(of: code),
            app: app.name,
            redirectHash: Hash256(of: redirectURI),
            challenge: CodeVerifier(verifier)?.challenge.hash ?? Hash256(of: []),
            refresh: AppSessionAnswer.firstState(at: visit.moment, ring: ring)
        )
    }
}

extension App {
    var onlyRedirectURI: String? {
        redirectURIs.count == 1 ? redirectURIs.first : nil
    }
}
