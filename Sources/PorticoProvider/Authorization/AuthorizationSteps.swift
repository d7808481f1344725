import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Takes an authorization request to its next step: a code, an error, or the page that the person
/// must see first (OpenID Connect Core §3.1.2).
struct AuthorizationSteps: Sendable {
    let people: PersonStore
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
    ///   - mustConfirmEmail: Whether the realm requires this person to confirm their address first.
    /// - Throws: ``AuthorizationRefusal``, ``RequestAnswered`` if the request already had its code,
    ///   and errors of the stores.
    func next(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveBrowserSession?,
        hasConsented: Bool = false,
        mustConfirmEmail: Bool = false,
        at moment: Moment
    ) async throws -> Outcome {
        var needsConsent = false
        if !hasConsented, let session {
            needsConsent = try await isConsentNeeded(proven, flow, session)
        }
        let rules = InteractionRules(
            request: proven.request,
            flow: .init(
                authenticatedSession: flow.authenticatedSession,
                hasSelectedAccount: flow.hasSelectedAccount
            ),
            session: session?.session,
            isNamed: session.map { proven.names($0.person) } ?? true,
            mustConfirmEmail: mustConfirmEmail,
            mustSetUpSecondFactor: session?.person.requiredActions
                .contains(RequiredAction.configureTOTP) ?? false,
            action: flow.action == nil ? proven.action?.kind : nil,
            isHandedOn: flow.handedOn != nil,
            needsConsent: needsConsent,
            lacksDID: proven.client.documented != nil
                && session.map { $0.person.did == nil } ?? false
        )
        switch rules.next(at: moment.seconds) {
        case .answer:
            // The rules answer a request only for a signed-in person.
            guard let session else { return .show(.signIn(.nobody)) }
            return try answer(proven, flow, session.session, moment)
        case .refuse(let error):
            throw AuthorizationRefusal.redirect(error, proven.target)
        case let step:
            return .show(step)
        }
    }

    private func isConsentNeeded(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession
    ) async throws -> Bool {
        if let rules = DocumentConsentRules(proven, isRemembered: flow.isRemembered(session)) {
            guard rules.dependOnEarlier else { return true }
            return rules.isNeeded(
                earlier: try await people.documentConsent(
                    personID: session.person.id,
                    clientID: proven.client.id,
                    notBefore: proven.notBefore
                )
            )
        }
        let consent = ConsentRules(
            client: proven.client,
            redirect: proven.target.redirect,
            request: proven.request,
            scope: proven.consentScope
        )
        let earlier =
            consent.dependsOnEarlier
            ? try await people.consent(
                personID: session.person.id,
                clientID: proven.client.id
            ) : nil
        return consent.isNeeded(earlier: earlier)
    }

    private func answer(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: BrowserSession,
        _ moment: Moment
    ) throws -> Outcome {
        // A request that was never shown cannot be submitted again: its id is drawn with the code.
        if flow.isPushed || flow.wasShown {
            guard spent.spend(flow.requestID, at: moment.seconds) else { throw RequestAnswered() }
        }
        let handedOn = flow.handedOn.flatMap { $0.sessionID == session.id ? $0 : nil }
        do throws(OAuthError) {
            let code = try codes.code(
                for: proven.request,
                redirect: proven.target.redirect,
                scope: handedOn?.scope(within: proven.scope) ?? proven.scope,
                claims: proven.grantedClaims,
                requestID: flow.requestID,
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
}
