import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoUpstream
package import PorticoWeb

/// Notifications from identity providers: a person signed out at the provider (OpenID Connect
/// Back-Channel Logout §2.5), or revoked their consent (PRV-A-20, PRV-F-14). No cookie and no
/// forgery token: the message is signed.
package struct ProviderCallsEndpoint: Sendable {
    let directory: ProviderDirectory
    let accounts: AccountStore
    let sessions: SessionStore
    let headers: SecurityHeaders
    let events: SignInLog
    /// Sixty refused messages a minute for each address: a provider that signs many people out at
    /// once sends all messages from one address.
    let limit: RateLimiter
    /// The public origin, without a trailing slash.
    let origin: String

    private static let longestBody = 64 * 1024

    /// 200, or 400 with a reason; never cached (OpenID Connect Back-Channel Logout §2.8).
    package func logout(_ name: Substring, _ context: SignInContext) async throws -> Response {
        let provider = try provider(name)
        let form = try await form(context)
        guard let text = form["logout_token"] else {
            throw ServiceError(.invalidRequest, "logout_token is required.")
        }
        let notice: LogoutNotice
        do {
            notice = try await provider.client.verifyLogoutToken(text)
        } catch {
            if error != .unavailable { countRefusal(context) }
            events.logoutTokenRefused(provider.name, "\(error)", context)
            throw ServiceError(.invalidRequest, "The logout token is not valid here.")
        }
        let realmID = try directory.realm().id
        let ended = try await sessions.endSessions(
            issuer: notice.issuer,
            subject: notice.subject,
            providerSessionID: notice.providerSessionID,
            realmID: realmID,
            spending: SpentOnce(
                hash: Hash256(of: "logout \(realmID) \(notice.issuer) \(notice.tokenID)"),
                expiresAt: notice.expiresAt + 600
            ),
            at: context.now
        )
        guard let ended else {
            countRefusal(context)
            throw ServiceError(.invalidRequest, "The logout token was used before.")
        }
        events.providerEndedSessions(provider.name, ended, context)
        return Response(empty: .ok, headers: headers)
    }

    /// Consent revoked, or the Apple Account deleted: the person's sessions end, so that the next
    /// sign-in asks Apple again.
    package func appleNotification(_ name: Substring, _ context: SignInContext) async throws
        -> Response
    {
        let provider = try provider(name, .apple)
        let payload = try await applePayload(context)
        let notification: AppleNotification
        do {
            notification = try await provider.client.verifyNotification(
                payload,
                audiences: apps(at: provider.name)
            )
        } catch {
            if error != .unavailable { countRefusal(context) }
            events.logoutTokenRefused(provider.name, "notification", context)
            throw ServiceError(.unauthorized, "The notification is not Apple's.")
        }
        let issuer = provider.client.provider.canonicalIssuer
        switch notification.kind {
        case .consentRevoked:
            try await end(issuer, notification.subject, notification.tokenID, context)
        case .accountDeleted:
            try await forget(issuer, notification.subject, issuedAt: notification.issuedAt, context)
        case .emailDisabled, .emailEnabled: break
        }
        return Response(empty: .ok, headers: headers)
    }

    package func facebookDeauthorize(_ name: Substring, _ context: SignInContext) async throws
        -> Response
    {
        let (provider, request, issuedAt) = try await signedRequest(name, context)
        try await end(
            provider.client.provider.canonicalIssuer,
            request.userID,
            "facebook \(issuedAt) \(request.userID)",
            context
        )
        return Response(empty: .ok, headers: headers)
    }

    /// Facebook requires an address where the person can see the status, and a code.
    package func facebookDataDeletion(_ name: Substring, _ context: SignInContext) async throws
        -> Response
    {
        let (provider, request, issuedAt) = try await signedRequest(name, context)
        let issuer = provider.client.provider.canonicalIssuer
        try await forget(issuer, request.userID, issuedAt: issuedAt, context)
        let code = Hash256(of: "\(issuer) \(request.userID) \(context.now)").bytes.prefix(9)
        return Response(
            json: [
                "url": .string(
                    origin
                        + directory.place.address(
                            of: directory.place.isRealm ? SignInPath.accountOverview : .help
                        )
                ),
                "confirmation_code": .string(Base64URL.encode(code)),
            ],
            headers: headers
        )
    }

    /// - Parameter issuedAt: The time of the message: later sign-ins are not affected.
    private func forget(
        _ issuer: String,
        _ subject: String,
        issuedAt: Int64,
        _ context: SignInContext
    ) async throws {
        _ = try await accounts.forget(
            IdentityKey(issuer: issuer, subject: subject),
            realmID: try directory.realm().id,
            linkedUntil: issuedAt,
            noticeID: context.moment.id(),
            at: context.now
        )
    }

    private func end(_ issuer: String, _ subject: String, _ id: String, _ context: SignInContext)
        async throws
    {
        let realmID = try directory.realm().id
        let count = try await sessions.endSessions(
            issuer: issuer,
            subject: subject,
            providerSessionID: nil,
            realmID: realmID,
            spending: SpentOnce(
                hash: Hash256(of: "notice \(realmID) \(issuer) \(id)"),
                expiresAt: context.now + 86_400
            ),
            at: context.now
        )
        events.providerEndedSessions(issuer, count ?? 0, context)
    }

    private func signedRequest(_ name: Substring, _ context: SignInContext) async throws
        -> (ProviderDirectory.LiveProvider, SignedRequest, issuedAt: Int64)
    {
        let provider = try provider(name, .facebook)
        let form = try await form(context)
        guard let text = form["signed_request"] else {
            throw ServiceError(.invalidRequest, "signed_request is required.")
        }
        do {
            let request = try provider.client.verifySignedRequest(text)
            // An old one may have been made for another purpose, and does not apply today.
            let day: Int64 = 86_400
            guard let issuedAt = request.issuedAt,
                (context.now - day...context.now + day).contains(issuedAt)
            else { throw SignedRequestTooOld() }
            return (provider, request, issuedAt)
        } catch {
            countRefusal(context)
            events.logoutTokenRefused(provider.name, "signed request", context)
            throw ServiceError(.invalidRequest, "The request is not Facebook's.")
        }
    }

    private struct SignedRequestTooOld: Error {}

    /// Apple posts `{"payload": "…"}`.
    private func applePayload(_ context: SignInContext) async throws -> String {
        try checkRate(context)
        return try BodyParameters(context, upTo: Self.longestBody).required("payload")
    }

    private func form(_ context: SignInContext) async throws(ServiceError) -> FormParameters {
        try checkRate(context)
        return try context.form(upTo: Self.longestBody)
    }

    private func checkRate(_ context: SignInContext) throws(ServiceError) {
        if case .wait(let seconds) = limit.check(
            LimitKey("provider", context.address),
            at: context.moment.now
        ) {
            throw ServiceError(.rateLimited, "Too many messages.", retryAfter: seconds)
        }
    }

    private func countRefusal(_ context: SignInContext) {
        limit.countFailure(LimitKey("provider", context.address), at: context.moment.now)
    }

    /// The apps' client IDs at the provider: a message may be addressed to one of them.
    private func apps(at provider: String) -> [String] {
        directory.apps.apps.flatMap { $0.audiences(at: provider) }
    }

    /// - Parameter kind: What it must be.
    private func provider(_ name: Substring, _ kind: IdentityProvider.Kind? = nil)
        throws(ServiceError) -> ProviderDirectory.LiveProvider
    {
        guard let provider = directory.provider(named: name),
            kind == nil || provider.client.provider.kind == kind
        else { throw ServiceError(.notFound, "There is no provider of that name.") }
        return provider
    }
}
