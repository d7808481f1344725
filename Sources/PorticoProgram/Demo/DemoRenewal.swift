import PorticoBytes
import PorticoStores

/// A demo at another address makes its realms anew, because an issuer never changes
/// (docs/decisions/0036). What a person added to one is not thrown away: the start is refused.
struct DemoRenewal {
    let installation: Installation
    /// The realm of an earlier start.
    let former: Realm

    /// - Parameters:
    ///   - new: The realm as this start makes it.
    ///   - advice: How to start with the former one.
    /// - Throws: `issuer-mismatch` where the former one has more than a demo puts into it.
    func check(
        against new: NewRealm,
        _ people: [DemoPerson],
        advice: [String]
    ) async throws {
        guard let added = try await added(to: new, people) else { return }
        throw Failure(
            .issuerMismatch,
            "Realm \(former.name) has the issuer \(former.issuer). It has \(added), which you added.",
            advice: [
                "At another address the demo would make the realm anew. Nothing was deleted."
            ] + advice + [
                "Or, to lose what was added: "
                    + portico("realm delete \(former.name) --confirm \(former.name)")
            ]
        )
    }

    private func added(to new: NewRealm, _ people: [DemoPerson]) async throws -> String? {
        let groups = try await installation.realms.groups(realmID: former.id)
        let roles = try await installation.realms.roles(realmID: former.id)
        let known = try await installation.people.people(
            realmID: former.id,
            after: nil,
            limit: people.count + 1
        )
        let clients = try await installation.realms.clients(realmID: former.id)
        let scopes = try await installation.realms.scopes(realmID: former.id)
        let kinds: [(kind: String, names: [String], demos: [String])] = [
            ("client", clients.map(\.clientID), new.clients.map(\.clientID)),
            ("user", known.map(\.username), people.map(\.username)),
            ("role", roles.map(\.text), new.roles.map(\.text)),
            ("group", groups.map(\.group.name), new.groups.map(\.group.name)),
            ("client scope", scopes.map(\.name), new.scopes.map(\.name)),
        ]
        for (kind, names, demos) in kinds {
            let demos = Set(demos.map { ExactText($0) })
            if let name = names.first(where: { !demos.contains(ExactText($0)) }) {
                return "\(kind) \(printable(name))"
            }
        }
        return nil
    }
}
