import PorticoProtocol
import PorticoStores

extension Realm {
    /// What `portico realm show` shows; members are only ever added.
    var description: Description {
        Description(json: json, fields: fields)
    }

    private var json: JSONObject {
        var json: JSONObject = [
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
        ]
        let swap = tokenSwap.flatMap { $0.isOn ? $0.json : nil }
        json["token_swap"] = swap.map(JSONValue.object) ?? .null
        json["apps_by_document"] = .bool(profile.takesDocuments)
        json["token_resource"] = profile.tokenResource.map(JSONValue.string) ?? .null
        json["registration"] = (registration?.rawValue).map(JSONValue.string) ?? .null
        return json
    }

    private var fields: [(name: String, value: String?)] {
        var fields: [(name: String, value: String?)] = [
            ("Realm", name),
            ("Name", displayName),
            ("Issuer", issuer),
            ("State", state),
            ("Algorithm", signingAlgorithm.rawValue),
            ("Signs in with", signsInWithEmail ? "username or email address" : "username"),
            ("Forgotten password", allowsPasswordReset ? "replaced by mail" : "not replaced"),
            (
                "Email address",
                confirmsEmail ? "confirmed before an app gets anything" : "need not be confirmed"
            ),
            ("Registration", registrationWords),
            ("Apps by document", profile.takesDocuments ? "taken" : "not taken"),
            (
                "Sign-out by hint",
                signsOutByHintAlone ? "at once, without a cookie" : "asked without a cookie"
            ),
            ("Access tokens", accessTokenType.rawValue),
            ("Access token lives", Times.duration(lifetimes.accessToken)),
            ("Session", Self.words(lifetimes.sessionIdle, lifetimes.sessionMaximum)),
            ("Apps", Self.words(lifetimes.appIdle, nil)),
            ("Offline", Self.words(lifetimes.offlineIdle, lifetimes.offlineMaximum)),
            ("Id", id),
        ]
        if let resource = profile.tokenResource {
            fields.append(("AT Protocol", "host of the accounts at \(resource)"))
        }
        if let tokenSwap { fields.append(("Tokens of before", tokenSwap.summary)) }
        return fields
    }

    private var registrationWords: String {
        guard let registration else { return "closed" }
        return registration == .email ? "by email address" : "by username"
    }

    private static func words(_ idle: Int64, _ most: Int64?) -> String {
        let idle = "\(Times.duration(idle)) idle"
        guard let most else { return idle }
        return "\(idle), \(Times.duration(most)) at most"
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
            "app_idle": .integer(appIdle),
            "offline_idle": .integer(offlineIdle),
            "offline_maximum": offlineMaximum.map(JSONValue.integer) ?? .null,
            "refresh_grace": .integer(refreshGrace),
            "pushed_request": .integer(pushedRequest),
        ]
    }
}
