import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Which scopes clients have, in Keycloak's words: the file's lists, with what was given or taken
/// here since, and without names that no scope of the realm has.
package struct AssignedScopes: Sendable {
    private let all: Set<ExactText>
    /// Those of OpenID Connect.
    private let known: Set<ExactText>
    private let defaults: [String]
    private let optionals: [String]

    package init(_ realm: Realm, scopes: [ClientScope]) {
        all = Set(scopes.map { ExactText($0.name) })
        known = Set(scopes.filter(\.isOffered).map { ExactText($0.name) })
        defaults = realm.defaultClientScopes
        optionals = realm.optionalClientScopes
    }

    /// Gives a new client the realm's.
    package func give(to client: inout Client) {
        client.defaultScopes = registrable(defaults).filter { $0 != Self.offline }
        client.optionalScopes =
            registrable(optionals)
            + (defaults.contains(Self.offline) && !optionals.contains(Self.offline)
                ? [Self.offline] : [])
    }

    func set(of client: Client, in json: inout JSONObject) {
        guard client.tokenForm != .standard else {
            json["defaultClientScopes"] = .texts(client.defaultScopes)
            json["optionalClientScopes"] = .texts(client.optionalScopes)
            return
        }
        let named = (json.strings("defaultClientScopes") ?? defaults).filter(isHere)
        let asked = (json.strings("optionalClientScopes") ?? optionals).filter(isHere)
        // What the import makes of them.
        let wasDefault = registrable(named).filter { $0 != Self.offline }
        var wasOptional = registrable(asked)
        if named.contains(Self.offline) { wasOptional.append(Self.offline) }
        json["defaultClientScopes"] = .texts(
            Self.changed(named, from: wasDefault, to: client.defaultScopes)
        )
        json["optionalClientScopes"] = .texts(
            Self.changed(asked, from: wasOptional, to: client.optionalScopes)
        )
    }

    private static let offline = "offline_access"

    private func isHere(_ name: String) -> Bool { all.contains(ExactText(name)) }

    private func registrable(_ names: [String]) -> [String] {
        names.filter {
            // `try?`: only whether it parses matters.
            known.contains(ExactText($0)) && $0 != "openid" && (try? Scope($0))?.tokens == [$0]
        }
    }

    /// A list with what was taken from another one taken, and what was added to it added.
    private static func changed(_ list: [String], from former: [String], to now: [String])
        -> [String]
    {
        let (before, after) = (Set(former.map(ExactText.init)), Set(now.map(ExactText.init)))
        let kept = list.filter {
            let name = ExactText($0)
            return !before.contains(name) || after.contains(name)
        }
        let there = Set(kept.map(ExactText.init))
        return kept
            + now.filter {
                let name = ExactText($0)
                return !before.contains(name) && !there.contains(name)
            }
    }
}
