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

    package init(_ realm: Realm) {
        self.realm = realm
    }

    /// The realm's id in representations: that of its file, which may be its name.
    package var id: String { realm.keycloak?.string("id") ?? realm.id }

    package var json: JSONObject {
        let kept = realm.keycloak ?? JSONObject()
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
        setLifetimes(in: &json, kept)
        return json.ordered(Self.order)
    }

    private static let lifetimes:
        [(String, any WritableKeyPath<Realm.Lifetimes, Int64> & Sendable)] = [
            ("accessTokenLifespan", \.accessToken), ("accessCodeLifespan", \.code),
            ("ssoSessionIdleTimeout", \.sessionIdle), ("ssoSessionMaxLifespan", \.sessionMaximum),
            ("offlineSessionIdleTimeout", \.offlineIdle),
        ]

    /// A lifetime that was out of bounds here stays what it was there.
    private func setLifetimes(in json: inout JSONObject, _ kept: JSONObject) {
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
}
