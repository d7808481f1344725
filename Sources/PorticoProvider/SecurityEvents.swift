package import Logging
import PorticoStores

/// Security events as log lines: what happened, to whom, through which client, from where; never a
/// token, code, password or cookie (OWASP ASVS 16.3).
package struct SecurityEvents: Sendable {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    func signedIn(
        _ person: Person,
        _ session: BrowserSession,
        _ client: Client,
        _ visit: RealmVisit
    ) {
        log("sign_in.ok", visit, ["sub": person.id, "sid": session.id, "client": client.clientID])
    }

    /// The name that was tried is not logged: people type passwords into that field.
    func signInFailed(_ visit: RealmVisit) {
        log("sign_in.failed", visit, [:])
    }

    func consented(_ person: Person, _ client: Client, _ visit: RealmVisit) {
        log("consent.given", visit, ["sub": person.id, "client": client.clientID])
    }

    func signedOut(_ sessionID: String, _ visit: RealmVisit) {
        log("sign_out", visit, ["sid": sessionID])
    }

    func clientRefused(_ clientID: String?, _ visit: RealmVisit) {
        log("client.refused", visit, ["client": clientID ?? "-"])
    }

    func challengeRepeated(_ client: Client, _ visit: RealmVisit) {
        log("challenge.repeated", visit, ["client": client.clientID])
    }

    /// An error that nobody expected.
    func failed(_ error: any Error, _ visit: RealmVisit) {
        logger.error(
            "unexpected error",
            metadata: [
                "request": .string(visit.visit.requestID),
                "realm": .string(visit.realm.realm.name),
                "kind": .string("\(type(of: error))"),
            ]
        )
    }

    private func log(_ event: String, _ visit: RealmVisit, _ facts: [String: String]) {
        var metadata: Logger.Metadata = [
            "event": .string(event),
            "realm": .string(visit.realm.realm.name),
            "request": .string(visit.visit.requestID),
            "address": .string(visit.visit.address),
        ]
        for (name, value) in facts { metadata[name] = .string(value) }
        logger.notice("security event", metadata: metadata)
    }
}
