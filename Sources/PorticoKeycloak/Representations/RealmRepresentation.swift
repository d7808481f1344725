import PorticoAdministration
package import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// A realm's settings as Keycloak writes them: `RealmRepresentation` without what has a place of
/// its own, such as clients, roles and people.
///
/// Of a realm from Keycloak, what its file said stands, as long as it still says what is kept here;
/// of other realms, what there is a member for.
package struct RealmRepresentation: Sendable {
    let realm: Realm
    private let graph: RoleGraph
    private let kept: JSONObject

    /// - Parameter graph: Its groups. Where it is empty, the representation names no default groups.
    package init(_ realm: Realm, graph: RoleGraph = .empty) {
        self.realm = realm
        self.graph = graph
        kept = realm.kept.object
    }

    /// The realm's id in representations: that of its file, which may be its name.
    package var id: String { kept.string("id") ?? realm.id }

    /// Whether a refresh token is good once.
    package var revokesRefreshTokens: Bool { kept.bool("revokeRefreshToken") ?? false }

    package var json: JSONObject {
        var json = kept
        json["id"] = .string(id)
        json["realm"] = .string(realm.name)
        let displayName = kept.string("displayName").flatMap { $0.isEmpty ? nil : $0 }
        if displayName ?? realm.name != realm.displayName {
            json["displayName"] = .string(realm.displayName)
        }
        var switches: [(String, Bool, Bool)] = [
            ("enabled", realm.isEnabled, false),
            ("loginWithEmailAllowed", realm.signsInWithEmail, true),
            ("resetPasswordAllowed", realm.allowsPasswordReset, false),
            ("verifyEmail", realm.confirmsEmail, false),
            ("registrationAllowed", realm.registration != nil, false),
        ]
        if let registration = realm.registration {
            switches.append(("registrationEmailAsUsername", registration == .email, false))
        }
        for (name, isOn, without) in switches {
            json.set(name, .bool(isOn), unless: kept.bool(name) ?? without == isOn)
        }
        json.set(
            "notBefore",
            .integer(realm.notBefore),
            unless: max(0, kept.int64("notBefore") ?? 0) == realm.notBefore
        )
        let algorithm = kept.string("defaultSignatureAlgorithm").map {
            SignatureAlgorithm(rawValue: $0) ?? .rs256
        }
        json.set(
            "defaultSignatureAlgorithm",
            .string(realm.signingAlgorithm.rawValue),
            unless: algorithm == realm.signingAlgorithm
        )
        setLifetimes(in: &json)
        setPages(in: &json)
        setEvents(in: &json)
        setDefaults(in: &json)
        return json.ordered(Self.order)
    }

    private static let lifetimes:
        [(String, any WritableKeyPath<Realm.Lifetimes, Int64> & Sendable)] = [
            ("accessTokenLifespan", \.accessToken), ("accessCodeLifespan", \.code),
            ("ssoSessionIdleTimeout", \.sessionIdle), ("ssoSessionMaxLifespan", \.sessionMaximum),
            ("offlineSessionIdleTimeout", \.offlineIdle),
        ]

    /// A lifetime that was out of bounds here stays what it was there.
    private func setLifetimes(in json: inout JSONObject) {
        var imported = Realm.Lifetimes()
        for (name, path) in Self.lifetimes {
            if let seconds = kept.int64(name), seconds != 0 { imported[keyPath: path] = seconds }
        }
        if kept.bool("offlineSessionMaxLifespanEnabled") == true {
            imported.offlineMaximum = kept.int64("offlineSessionMaxLifespan")
        }
        imported = imported.withinBounds
        let now = realm.lifetimes
        for (name, path) in Self.lifetimes {
            json.set(
                name,
                .integer(now[keyPath: path]),
                unless: imported[keyPath: path] == now[keyPath: path]
            )
        }
        let former = "ssoSessionMaxLifespanRememberMe"
        if max(0, kept.int64(former) ?? 0) != now.formerSessionMaximum {
            json[former] = .integer(now.formerSessionMaximum)
        }
        let isKept = imported.offlineMaximum == now.offlineMaximum
        json.set(
            "offlineSessionMaxLifespanEnabled",
            .bool(now.offlineMaximum != nil),
            unless: isKept
        )
        if let maximum = now.offlineMaximum {
            json.set("offlineSessionMaxLifespan", .integer(maximum), unless: isKept)
        }
    }

    private func setPages(in json: inout JSONObject) {
        let isSpoken = kept.bool("internationalizationEnabled") == true
        let language = kept.string("defaultLocale").flatMap { $0.isEmpty ? nil : $0 }
        if (isSpoken ? language : nil) != realm.defaultLanguage {
            json["defaultLocale"] = realm.defaultLanguage.map(JSONValue.string)
            if realm.defaultLanguage != nil { json["internationalizationEnabled"] = true }
        }
        if ACRLevels.read(kept.attribute(ACRLevels.attribute)) ?? [:] != realm.acrLevels {
            json.setAttribute(
                ACRLevels.attribute,
                to: realm.acrLevels.isEmpty ? nil : ACRLevels.written(realm.acrLevels)
            )
        }
        let drift = "otpPolicyLookAheadWindow"
        if max(0, kept.int64(drift) ?? 0) != realm.codeDrift {
            json[drift] = .integer(realm.codeDrift)
        }
    }

    private func setEvents(in json: inout JSONObject) {
        let events = realm.events
        for (name, now) in [
            ("eventsEnabled", events.keepsSignIns),
            ("adminEventsEnabled", events.keepsAdministration),
        ] where kept.bool(name) ?? false != now {
            json[name] = .bool(now)
        }
        let kinds = "enabledEventTypes"
        let types = kept.strings(kinds) ?? []
        if (types.isEmpty ? nil : EventWords.kinds(of: types)) != events.kinds {
            json[kinds] = .texts(events.kinds.map(EventWords.types(of:)) ?? [])
        }
        let (over, seconds) = ("eventsExpiration", events.lifetime ?? 0)
        if max(0, kept.int64(over) ?? 0) != seconds { json[over] = .integer(seconds) }
    }

    /// What new people and clients get. Files from before version 13 have no default role: clients say the rest.
    private func setDefaults(in json: inout JSONObject) {
        let paths = realm.defaultGroupIDs.filter { graph.group($0) != nil }.map(graph.path)
        if !paths.isEmpty { json["defaultGroups"] = .texts(paths) }
        json["defaultDefaultClientScopes"] = .texts(realm.defaultClientScopes)
        json["defaultOptionalClientScopes"] = .texts(realm.optionalClientScopes)
        let (role, roles) = ("defaultRole", "defaultRoles")
        let now = realm.defaultRoles
        if let name = kept.object(role)?.string("name"),
            now == [RoleName(clientID: nil, name: name)]
        {
            return
        }
        if kept[role] != nil || kept[roles] == nil, now.count == 1, now[0].clientID == nil {
            json[role] = ["name": .string(now[0].name)]
        } else {
            json[role] = nil
            if kept.strings(roles) ?? [] != now.ofRealm { json[roles] = .texts(now.ofRealm) }
        }
    }
}
