import PorticoAdministration
import PorticoBytes
import PorticoStores

/// A realm that a demo makes where it is not there yet.
///
/// A demo at another address makes its realms anew, because an issuer never changes (docs/decisions/0036).
protocol DemoRealmMaker {
    static var name: String { get }
    var installation: Installation { get }
    var people: [DemoPerson] { get }
    /// That of this start.
    var issuer: String { get throws }

    func new() async throws -> NewRealm
    /// How to start with a realm of an earlier start.
    func advice(_ former: Realm) async throws -> [String]
    /// Whether a person made the realm under this name: it stays as it is, and so do its people.
    func isForeign(_ realm: Realm) async throws -> Bool
}

extension DemoRealmMaker {
    var issuer: String {
        get throws {
            try RealmCreation.issuer(
                of: Self.name,
                baseURL: installation.settings.effectivePublicURL
            )
        }
    }

    func advice(_ former: Realm) async throws -> [String] {
        ["Start it at its own address:", porticoServing(former.issuer, of: Self.name)]
    }

    func isForeign(_ realm: Realm) async throws -> Bool { false }

    private func former() async throws -> Realm? {
        try await installation.realms.realm(named: Self.name)
    }

    /// What a person added is not thrown away: the start is refused.
    ///
    /// - Throws: `issuer-mismatch` where the former realm has more than a demo puts into it.
    func check() async throws {
        guard let former = try await former(), try !sameBytes(former.issuer, issuer),
            try await !isForeign(former),
            let added = try await DemoRenewal(installation: installation, former: former)
                .added(to: new(), people)
        else { return }
        throw Failure(
            .issuerMismatch,
            "Realm \(former.name) has the issuer \(former.issuer). It has \(added), which you added.",
            advice: [
                "At another address the demo would make the realm anew. Nothing was deleted."
            ] + (try await advice(former)) + [
                "Or, to lose what was added: "
                    + portico("realm delete \(former.name) --confirm \(former.name)")
            ]
        )
    }

    /// Creates the realm, or a checked one again where its issuer is another, and sets new passwords.
    ///
    /// - Returns: The new passwords.
    func prepare() async throws -> [DemoPassword] {
        let former = try await former()
        if let former {
            guard try await !isForeign(former) else { return [] }
            if try sameBytes(former.issuer, issuer) {
                return try await installation.prepare(people, in: former)
            }
        }
        let realm = try await installation.make(new(), inPlaceOf: former)
        return try await installation.prepare(people, in: realm)
    }
}

/// What a person added to a realm of an earlier start.
private struct DemoRenewal {
    let installation: Installation
    let former: Realm

    func added(to new: NewRealm, _ people: [DemoPerson]) async throws -> String? {
        let groups = try await installation.realms.groups(realmID: former.id)
        let roles = try await installation.realms.roles(realmID: former.id)
        let known = try await installation.people.people(
            realmID: former.id,
            after: nil,
            limit: people.count + 1
        )
        let clients = try await installation.realms.clients(realmID: former.id)
        let scopes = try await installation.realms.scopes(realmID: former.id)
        let providers = try await installation.backend.providers(realmID: former.id)
        let kinds: [(kind: String, names: [String], demos: [String])] = [
            ("provider", providers.filter { !$0.isStandIn }.map(\.name), []),
            ("client", clients.map(\.clientID), new.clients.map(\.clientID)),
            // Those who signed in at a stand-in come again as they came before.
            ("user", known.filter { $0.username != $0.id }.map(\.username), people.map(\.username)),
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
