import PorticoProtocol
import PorticoStores

extension Realm {
    /// What `portico realm show` shows; members are only ever added.
    var description: Description {
        Description(
            json: [
                "id": .string(id),
                "name": .string(name),
                "display_name": .string(displayName),
                "issuer": .string(issuer),
                "enabled": .bool(isEnabled),
                "signing_algorithm": .string(signingAlgorithm.rawValue),
                "signs_in_with_email": .bool(signsInWithEmail),
                "password_reset": .bool(allowsPasswordReset),
                "confirms_email": .bool(confirmsEmail),
                "signs_out_by_hint": .bool(signsOutByHintAlone),
                "lifetimes": .object(lifetimes.json),
                "access_token_type": .string(accessTokenType.rawValue),
                "token_swap": tokenSwap.flatMap { $0.isOn ? .object($0.json) : nil } ?? .null,
                "atproto": atProtocol.map { ["resource": .string($0.resource)] } ?? .null,
                "registration": registration.map { .string($0.rawValue) } ?? .null,
            ],
            fields: [
                ("Realm", name),
                ("Name", displayName),
                ("Issuer", issuer),
                ("State", state),
                ("Algorithm", signingAlgorithm.rawValue),
                ("Signs in with", signsInWithEmail ? "username or email address" : "username"),
                ("Forgotten password", allowsPasswordReset ? "replaced by mail" : "not replaced"),
                (
                    "Email address",
                    confirmsEmail ? "confirmed before an app gets anything" : "not confirmed"
                ),
                (
                    "Registration",
                    registration.map { $0 == .email ? "by email address" : "by username" }
                        ?? "closed"
                ),
                (
                    "Sign-out by hint",
                    signsOutByHintAlone ? "at once, without a cookie" : "asked without a cookie"
                ),
                ("Access tokens", accessTokenType.rawValue),
                ("Access token lives", Times.duration(lifetimes.accessToken)),
                (
                    "Session",
                    "\(Times.duration(lifetimes.sessionIdle)) idle, "
                        + "\(Times.duration(lifetimes.sessionMaximum)) at most"
                ),
                (
                    "Offline",
                    "\(Times.duration(lifetimes.offlineIdle)) idle"
                        + (lifetimes.offlineMaximum.map { ", \(Times.duration($0)) at most" } ?? "")
                ),
                ("Id", id),
            ]
                + (atProtocol.map { [("AT Protocol", "host of the accounts at \($0.resource)")] }
                    ?? [])
                + (tokenSwap.map { [("Tokens of before", $0.summary)] } ?? [])
        )
    }

    var state: String { isEnabled ? "enabled" : "disabled" }
}

extension TokenSwap {
    fileprivate var json: JSONObject {
        [
            "issuer": .string(issuer),
            "closes_at": .string(Times.standard(closesAt)),
            "accepts_unlisted_offline_sessions": .bool(takesUnlistedOffline),
            "listed_until": listedUntil.map { .string(Times.standard($0)) } ?? .null,
        ]
    }

    fileprivate var summary: String {
        let offline =
            takesUnlistedOffline
            ? "all offline sessions" : listedUntil == nil ? "no offline session" : "those on a list"
        guard isOn else { return "of \(issuer), not swapped at present" }
        return "of \(issuer), swapped until \(Times.standard(closesAt)), \(offline)"
    }
}

extension Realm.Lifetimes {
    /// In seconds.
    fileprivate var json: JSONObject {
        [
            "access_token": .integer(accessToken),
            "code": .integer(code),
            "session_idle": .integer(sessionIdle),
            "session_maximum": .integer(sessionMaximum),
            "offline_idle": .integer(offlineIdle),
            "offline_maximum": offlineMaximum.map(JSONValue.integer) ?? .null,
            "refresh_grace": .integer(refreshGrace),
            "pushed_request": .integer(pushedRequest),
        ]
    }
}
