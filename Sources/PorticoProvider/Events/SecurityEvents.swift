package import Logging
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoSystem
import PorticoWeb

/// Security events as log lines: the event, the person, the client and the address; never a token,
/// code, password or cookie (OWASP ASVS 16.3).
package struct SecurityEvents: Sendable {
    private let logger: Logger
    private let realmEvents: RealmEvents?

    /// - Parameter realmEvents: Where realms keep them, too.
    package init(logger: Logger, realmEvents: RealmEvents? = nil) {
        self.logger = logger
        self.realmEvents = realmEvents
    }

    /// - Parameter client: Its `client_id`; `nil` for the Provider's own pages.
    func signedIn(_ live: LiveBrowserSession, _ client: String?, _ context: RealmContext) {
        var facts = ["sub": live.person.id, "sid": live.session.id]
        facts["client"] = client
        log("sign_in.ok", context, facts)
    }

    /// The name is not logged: people type passwords into that field.
    func signInFailed(_ context: RealmContext) {
        log("sign_in.failed", context, [:])
    }

    /// The password was right, and the code of the second factor was not.
    func secondStepFailed(_ person: Person, _ context: RealmContext) {
        log("sign_in.second_step_failed", context, ["sub": person.id])
    }

    /// A person added or removed a second factor, or made recovery codes.
    func secondFactorChanged(_ change: StaticString, _ person: Person, _ context: RealmContext) {
        log("second_factor.\(change)", context, ["sub": person.id])
    }

    /// Neither the address nor whether it belongs to an account is logged.
    func registrationAsked(_ context: RealmContext) {
        log("registration.asked", context, [:])
    }

    /// A person made an account.
    func registered(_ person: Person, _ context: RealmContext) {
        log("registration.ok", context, ["sub": person.id])
    }

    func consented(_ person: Person, _ client: Client, _ context: RealmContext) {
        log("consent.given", context, ["sub": person.id, "client": client.clientID])
    }

    /// A person revoked what they had allowed a client.
    func disconnected(_ clientID: String, _ person: Person, _ context: RealmContext) {
        log("consent.removed", context, ["sub": person.id, "client": clientID])
    }

    /// Neither the address nor whether it belongs to an account is logged.
    func passwordResetAsked(_ context: RealmContext) {
        log("password.reset_asked", context, [:])
    }

    func passwordReset(_ person: Person, _ context: RealmContext) {
        log("password.reset", context, ["sub": person.id])
    }

    /// A person chose a new password in their session.
    func passwordChanged(_ person: Person, _ context: RealmContext) {
        log("password.changed", context, ["sub": person.id])
    }

    func emailConfirmed(_ person: Person, _ context: RealmContext) {
        log("email.confirmed", context, ["sub": person.id])
    }

    /// A token would be longer than any that is taken back: the operator must shorten what a mapper writes.
    func notIssued(_ token: TokenTooLong, _ context: RealmContext) {
        var facts = [
            "token": token.token.rawValue, "claim": token.claim, "bytes": "\(token.bytes)",
        ]
        facts["mapper"] = token.mapper
        log("token.too_long", context, facts)
    }

    func signedOut(_ sessionID: String, _ context: RealmContext) {
        log("sign_out", context, ["sid": sessionID])
    }

    /// A person ended their other sessions.
    func signedOutElsewhere(_ live: LiveBrowserSession, _ count: Int, _ context: RealmContext) {
        let facts = ["sub": live.person.id, "sid": live.session.id, "sessions": "\(count)"]
        log("sign_out.elsewhere", context, facts)
    }

    /// A spent code or refresh token was presented again by its own client.
    func replayed(_ replay: ReplayRefusal, _ client: Client, _ context: RealmContext) {
        var facts = [
            "what": replay.subject.rawValue, "grant": replay.grant.id.text,
            "client": client.clientID,
        ]
        facts["sub"] = replay.grant.personID
        facts["sid"] = replay.grant.sessionID
        log("replay", context, facts)
    }

    /// A refresh token of the server before was swapped for one of ours (docs/decisions/0051).
    func swapped(
        _ grant: Grant,
        isRepeated: Bool,
        _ client: Client,
        _ context: RealmContext
    ) {
        var facts = ["grant": grant.id.text, "client": client.clientID]
        facts["sub"] = grant.personID
        facts["sid"] = grant.sessionID
        facts["offline"] = grant.isOffline ? "true" : "false"
        log(isRepeated ? "token.swap_repeated" : "token.swapped", context, facts)
    }

    func swapRefused(_ refusal: SwapRefusal, _ client: Client, _ context: RealmContext) {
        let facts = ["client": client.clientID, "reason": refusal.reason.rawValue]
        log("token.swap_refused", context, facts)
    }

    /// A client ended the session of a token of the server before, or its own part of it.
    func endedMoved(_ session: String, _ client: Client, _ context: RealmContext) {
        log("token.old_revoked", context, ["sid": session, "client": client.clientID])
    }

    func handedOn(_ handedOn: HandedOn, _ client: Client, _ context: RealmContext) {
        var facts = [
            "grant": handedOn.parentID.text, "client": client.clientID, "target": handedOn.target,
        ]
        facts["sub"] = handedOn.personID
        facts["sid"] = handedOn.sessionID
        log(handedOn.step.rawValue, context, facts)
    }

    /// A client revoked a token, and with it the grant (RFC 7009).
    func revoked(_ grant: UniqueID, _ client: Client, _ context: RealmContext) {
        log("token.revoked", context, ["grant": grant.text, "client": client.clientID])
    }

    /// A person ended the session of a client with a document.
    func revoked(_ grant: UniqueID, ofClient clientID: String, _ context: RealmContext) {
        log("token.revoked", context, ["grant": grant.text, "client": clientID])
    }

    /// As commands and the log's own times have it.
    private static func time(_ seconds: Int64) -> String {
        guard (0...253_402_300_799).contains(seconds) else { return "\(seconds)" }
        return Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
    }

    /// The command line changed a realm's signing keys; requests never do.
    package func keysChanged(_ change: RealmDirectory.KeyChange) {
        var metadata: Logger.Metadata = ["realm": .string(change.realm)]
        switch change.kind {
        case .published(let activeFrom):
            metadata["event"] = "key.published"
            metadata["signs_from"] = .string(Self.time(activeFrom))
        case .broughtForward(let activeFrom):
            metadata["event"] = "key.brought_forward"
            metadata["signs_from"] = .string(Self.time(activeFrom))
        case .removed: metadata["event"] = "key.removed"
        }
        metadata["kid"] = .string(change.keyID)
        logger.notice("security event", metadata: metadata)
    }

    /// A client was notified that a session is over.
    func logoutDelivered(_ delivery: LogoutDelivery, _ realm: String, _ client: Client) {
        var metadata = facts(delivery, realm)
        metadata["event"] = "logout.delivered"
        metadata["client"] = .string(client.clientID)
        logger.notice("security event", metadata: metadata)
    }

    /// A client was not notified: for the administrator. The person is signed out anyway, and
    /// cannot change it. Logged once at the first failure and once at the end.
    func logoutNotDelivered(
        _ delivery: LogoutDelivery,
        realm: String?,
        client: String?,
        because reason: String,
        isGivenUp: Bool
    ) {
        var metadata = facts(delivery, realm ?? delivery.realmID)
        metadata["event"] = isGivenUp ? "logout.given_up" : "logout.failed"
        metadata["client"] = .string(client ?? delivery.clientID)
        metadata["reason"] = .string(reason)
        logger.log(
            level: isGivenUp ? .error : .warning,
            "security event",
            metadata: metadata
        )
    }

    private func facts(_ delivery: LogoutDelivery, _ realm: String) -> Logger.Metadata {
        [
            "realm": .string(realm), "sub": .string(delivery.personID),
            "sid": .string(delivery.sessionID),
            "attempt": .stringConvertible(delivery.attempts),
        ]
    }

    /// A client did not authenticate. An unregistered name is not logged: it could be any text.
    func clientRefused(_ unproven: UnprovenClient, _ context: RealmContext) {
        let client = unproven.client?.clientID ?? "-"
        log("client.refused", context, ["client": client, "reason": unproven.reason.rawValue])
    }

    /// An assertion named the token endpoint, and its client is registered for that: the
    /// administrator should look for these before turning the setting off again.
    func assertionForEndpoint(_ client: Client, _ context: RealmContext) {
        log("assertion.for_endpoint", context, ["client": client.clientID])
    }

    func challengeRepeated(_ client: Client, _ context: RealmContext) {
        log("challenge.repeated", context, ["client": client.clientID])
    }

    /// A client with a document asked for permissions that are unknown here: it does not get them.
    func scopeLeftOut(_ tokens: [String], _ client: Client, _ context: RealmContext) {
        log(
            "scope.left_out",
            context,
            ["client": client.clientID, "scope": String(tokens.joined(separator: " ").prefix(512))]
        )
    }

    /// A client with a document is known for a while.
    ///
    /// - Parameter address: Of the request that it was fetched for.
    func documentFetched(_ site: ClientIDAddress, realm: String, for address: String) {
        note(document: site, "client_document.fetched", realm, address)
    }

    /// A client's document, or its key set, is unreachable or no good.
    func documentRefused(
        _ site: ClientIDAddress,
        realm: String,
        for address: String,
        because error: OAuthError
    ) {
        note(document: site, "client_document.refused", realm, address, because: error.description)
    }

    private func note(
        document site: ClientIDAddress,
        _ event: String,
        _ realm: String,
        _ address: String,
        because reason: String? = nil
    ) {
        var metadata: Logger.Metadata = [
            "event": .string(event), "realm": .string(realm), "client": .string(site.text),
            "address": .string(address),
        ]
        metadata["reason"] = reason.map { .string($0) }
        logger.notice("security event", metadata: metadata)
    }

    /// A person was sent back to the app for something that only the operator can mend.
    func sentBack(_ error: OAuthError, _ context: RealmContext) {
        logger.warning(
            "sign-in is not possible",
            metadata: [
                "request": .string(context.requestID),
                "realm": .string(context.realm.name),
                "reason": .string(error.description),
            ]
        )
    }

    /// An unexpected error.
    func failed(_ error: any Error, _ context: RealmContext) {
        logger.error(
            "unexpected error",
            metadata: [
                "request": .string(context.requestID),
                "realm": .string(context.realm.name),
                "kind": .string("\(type(of: error))"),
            ]
        )
    }

    private func log(_ event: String, _ context: RealmContext, _ facts: [String: String]) {
        realmEvents?.note(event, context, facts)
        var metadata: Logger.Metadata = [
            "event": .string(event),
            "realm": .string(context.realm.name),
            "request": .string(context.requestID),
            "address": .string(context.address),
        ]
        for (name, value) in facts { metadata[name] = .string(value) }
        logger.notice("security event", metadata: metadata)
    }
}
