import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Takes an authorization request to its next step: a code, an error, or the page that the person
/// must see first (OpenID Connect Core §3.1.2).
struct AuthorizationSteps: Sendable {
    let people: PersonStore
    let grants: GrantStore
    let sessions: SessionStore
    let codes: CodeMaker
    let spent: SpentRequests

    enum Outcome: Sendable {
        /// To be sent to the redirect URI.
        case respond(AuthorizationTarget, AuthorizationTarget.Parameters)
        /// To be shown to the person.
        case show(Interaction)
    }

    /// - Parameters:
    ///   - hasConsented: Whether the person has just allowed this very request.
    ///   - isTheirBrowser: Whether the session is the browser's own, or of its person.
    ///   - mustConfirmEmail: Whether the realm requires this person to confirm their address first.
    /// - Throws: ``AuthorizationRefusal``, and errors of the stores.
    func next(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveSession?,
        hasConsented: Bool = false,
        isTheirBrowser: Bool = true,
        mustConfirmEmail: Bool = false,
        at moment: Moment
    ) async throws -> Outcome {
        var needsConsent = false
        if !hasConsented, let session {
            needsConsent = try await isConsentNeeded(proven, flow, session)
        }
        let action = flow.action == nil ? proven.action?.kind : nil
        let rules = InteractionRules(
            request: proven.request,
            flow: .init(
                authenticatedSession: flow.authenticatedSession,
                hasSelectedAccount: flow.hasSelectedAccount
            ),
            session: session?.session,
            isNamed: session.map { proven.asked.names($0.person) } ?? true,
            mustConfirmEmail: mustConfirmEmail,
            mustSetUpSecondFactor: session?.person.requiredActions
                .contains(RequiredAction.configureTOTP) ?? false,
            action: action,
            isHandedOn: flow.handedOn != nil,
            isProof: try await isProof(
                session,
                mustConfirmEmail ? .strength : action.map { _ in .now },
                at: moment.seconds
            ),
            needsConsent: needsConsent,
            mayConsent: isTheirBrowser,
            lacksDID: proven.needsDID && session.map { $0.person.did == nil } ?? false
        )
        switch rules.next(at: moment.seconds) {
        case .answer:
            // The rules answer a request only for a signed-in person.
            guard let session else { return .show(.signIn(.nobody)) }
            return try await answer(proven, flow, by: session.session, at: moment)
        case .refuse(let error):
            throw AuthorizationRefusal.redirect(error, proven.target)
        case let step:
            return .show(step)
        }
    }

    /// - Parameter proof: What is asked of it; `nil`: nothing, and nothing is read.
    private func isProof(
        _ session: LiveSession?,
        _ proof: SessionStore.Proof?,
        at now: Int64
    ) async throws -> Bool {
        guard let session, let proof else { return true }
        return try await sessions.proves(session.session, proof, at: now)
    }

    private func isConsentNeeded(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveSession
    ) async throws -> Bool {
        let consent = ConsentRules(
            client: proven.client,
            redirect: proven.target.redirect,
            request: proven.request,
            scope: proven.consentScope,
            isRemembered: flow.isRemembered(session)
        )
        let earlier =
            consent.dependsOnEarlier
            ? try await people.consent(
                personID: session.person.id,
                clientID: proven.client.id,
                notBefore: proven.notBefore
            ) : nil
        return consent.isNeeded(earlier: earlier)
    }

    private func answer(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        by session: PersonSession,
        at moment: Moment
    ) async throws -> Outcome {
        guard !flow.isPushed || spent.claim(flow.requestID, for: flow.browsers) else {
            throw AuthorizationRequests.answered(proven.client.clientID)
        }
        let requestID = try await requestID(of: flow, proven, moment)
        let handedOn = flow.handedOn.flatMap { $0.sessionID == session.id ? $0 : nil }
        do throws(OAuthError) {
            let code = try codes.code(
                for: proven.request,
                redirect: proven.target.redirect,
                scope: handedOn?.scope(within: proven.scope) ?? proven.scope,
                claims: proven.grantedClaims,
                requestID: requestID,
                client: proven.client,
                session: session,
                derivation: handedOn?.derivation,
                at: moment
            )
            let parameters = proven.target.success(
                code: code,
                sessionID: session.id,
                action: proven.action,
                flow.action
            )
            return .respond(proven.target, parameters)
        } catch {
            throw AuthorizationRefusal.redirect(error, proven.target)
        }
    }

    /// The request that a code is made for: one code each. A page that is sent again, by a second click or
    /// from another tab, is a new request with the same parameters (docs/decisions/0104).
    ///
    /// - Throws: ``AuthorizationRefusal`` where the address of a pushed request was opened twice at once.
    private func requestID(
        of flow: AuthorizationFlow,
        _ proven: ProvenRequest,
        _ moment: Moment
    ) async throws -> UniqueID {
        // What was never shown cannot be sent again: its id is drawn with the code.
        guard flow.isPushed || flow.wasShown else { return flow.requestID }
        let isFirst = spent.spend(flow.requestID, at: moment.seconds)
        guard isFirst, try await !grants.isAnswered(requestID: flow.requestID) else {
            // RFC 9126 §7.3: what no page has shown is a `request_uri`, and no form that is sent again.
            guard flow.wasShown else {
                throw AuthorizationRequests.answered(proven.client.clientID)
            }
            return moment.id()
        }
        return flow.requestID
    }
}
