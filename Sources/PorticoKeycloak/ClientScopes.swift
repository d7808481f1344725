import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Which scopes a client gets, and which it may ask for (Keycloak `ClientRepresentation`).
struct ClientScopes {
    private let all: Set<String>
    /// Those of OpenID Connect.
    private let known: Set<String>
    /// What the realm gives a new client that says nothing of them.
    private let usual: Names
    private var here: Client?
    /// What a client has said before: nothing more is said of those.
    private var standing = Names(defaults: [], optionals: [])

    private struct Names {
        let defaults: [String]
        let optionals: [String]
    }

    init(of realm: Realm, scopes: [ClientScope]) {
        all = Set(scopes.map(\.name))
        known = Set(scopes.filter(\.isOffered).map(\.name))
        usual = Names(
            defaults: realm.defaultClientScopes,
            optionals: realm.optionalClientScopes
        )
    }

    /// For a client that is here: a list that nothing is said of stays.
    ///
    /// - Parameter former: Its representation before.
    func over(_ here: Client, saying former: JSONObject = JSONObject()) -> ClientScopes {
        var scopes = self
        scopes.here = here
        scopes.standing = Names(
            defaults: former.strings("defaultClientScopes") ?? [],
            optionals: former.strings("optionalClientScopes") ?? []
        )
        return scopes
    }

    func apply(
        to client: inout Client,
        _ representation: Representation,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let subject = "client \(client.clientID)"
        // One list alone is all that a client has, as in Keycloak.
        let saidDefaults = try representation.strings("defaultClientScopes")
        let saidOptionals = try representation.strings("optionalClientScopes")
        let isUsual = here == nil && saidDefaults == nil && saidOptionals == nil
        let named = saidDefaults ?? (isUsual ? usual.defaults : [])
        let asked = saidOptionals ?? (isUsual ? usual.optionals : [])
        // What needs consent must be requested (OpenID Connect Core §11).
        client.defaultScopes =
            registrable(named, standing.defaults, subject, report: &report)
            .filter { $0 != "offline_access" && $0 != "device_sso" }
        if let here, saidDefaults == nil { client.defaultScopes = here.defaultScopes }
        let others = Set(asked).subtracting(client.defaultScopes)
        client.optionalScopes = registrable(
            asked.filter(others.contains),
            standing.optionals,
            subject,
            report: &report
        )
        if let here, saidOptionals == nil {
            client.optionalScopes = here.optionalScopes.filter {
                !client.defaultScopes.contains($0)
            }
        }
        let offline = "offline_access"
        if named.contains(offline), known.contains(offline),
            !client.optionalScopes.contains(offline)
        {
            client.optionalScopes.append(offline)
            guard !standing.defaults.contains(offline) else { return }
            report.add(.changed, subject, "must ask for offline_access to get it")
        }
    }

    /// Scopes of SAML have no meaning here, and a name with a space cannot be asked for.
    private func registrable(
        _ names: [String],
        _ standing: [String],
        _ subject: String,
        report: inout ImportReport
    ) -> [String] {
        var registrable: [String] = []
        for name in names where !all.contains(name) && !standing.contains(name) {
            report.add(.skipped, subject, "scope \(name)", "the file does not describe it")
        }
        for name in names where known.contains(name) && !registrable.contains(name) {
            if name.isRegistrableScope {
                registrable.append(name)
            } else if !standing.contains(name) {
                report.add(.skipped, subject, "scope \(name)", "no one can ask for that name")
            }
        }
        return registrable
    }
}

extension Realm {
    /// Takes from a file which scopes new clients get: those that the realm has. Where the file has no such
    /// list, what is here stays, and a new realm has Keycloak's.
    ///
    /// - Parameter scopes: Of the file.
    mutating func takeClientScopes(
        of file: Representation,
        among scopes: [ClientScope],
        over existing: ExistingRealm?,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let known = Set(scopes.map { ExactText($0.name) })
        var taken: Set<ExactText> = []
        func list(_ member: String, _ here: [String]?, _ usual: [String])
            throws(RealmImportError) -> [String]
        {
            guard let said = try file.strings(member) else {
                return (here ?? usual.filter { known.contains(ExactText($0)) })
                    .filter { taken.insert(ExactText($0)).inserted }
            }
            let kept = Set((here ?? []).map(ExactText.init))
            return said.filter { name in
                let isKnown = known.contains(ExactText(name)) || kept.contains(ExactText(name))
                if !isKnown {
                    report.add(.skipped, "realm", "\(member) \(name)", "\(Self.unknown)")
                }
                return isKnown && taken.insert(ExactText(name)).inserted
            }
        }
        let here = existing?.realm
        defaultClientScopes = try list(
            "defaultDefaultClientScopes",
            here?.defaultClientScopes,
            BuiltInScopes.defaults
        )
        optionalClientScopes = try list(
            "defaultOptionalClientScopes",
            here?.optionalClientScopes,
            BuiltInScopes.optionals
        )
    }

    /// Takes from a file which roles new people get: those that it describes, and those that they get here
    /// already. Where it says none, what is here stays.
    ///
    /// - Parameter roles: Of the file.
    mutating func takeDefaultRoles(
        of file: Representation,
        _ clients: [Client],
        _ roles: ImportedRoles,
        over existing: ExistingRealm?,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let here = existing?.realm
        guard let said = try Self.defaultRoles(file, clients) else {
            defaultRoles = here?.defaultRoles ?? []
            return
        }
        var taken: Set<RoleName> = []
        defaultRoles = said.filter { role in
            let isKnown = roles.contains(role) || here?.defaultRoles.contains(role) == true
            if !isKnown {
                report.add(.skipped, "realm", "default role \(role.text)", "\(Self.unknown)")
            }
            return isKnown && taken.insert(role).inserted
        }
        if let here, defaultRoles.isEmpty, !said.isEmpty {
            defaultRoles = here.defaultRoles
            kept["defaultRole"] = here.kept["defaultRole"]
        }
    }

    private static let unknown: StaticString =
        "not described in the file, or left out: no one gets it by its name"
}

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
        names.filter { known.contains(ExactText($0)) && $0.isRegistrableScope }
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

extension String {
    /// Whether a client can ask for a scope of that name.
    fileprivate var isRegistrableScope: Bool {
        Scope.isToken(self) && self != "openid"
    }
}
