import PorticoKeycloak
import PorticoStores

/// Who administers realms of this server by a realm `master` that came from somewhere else: it is
/// read like any other, and its administrators with it.
struct MasterAdministrators {
    private let installation: Installation

    private static let most = 10

    init(_ installation: Installation) {
        self.installation = installation
    }

    /// A line for the person who starts the server; `nil` where there is no such realm.
    func named() async throws -> String? {
        guard let realm = try await installation.realms.realm(named: MasterRealm.name) else {
            return nil
        }
        let clients = try await installation.realms.clients(realmID: realm.id)
        guard clients.contains(where: \.isMoved) else { return nil }
        let roles = try await installation.realms.roles(realmID: realm.id)
        let administering = AdministeringPeople(
            realm,
            roles: roles.map(\.roleName),
            parts: try await installation.realms.roleParts(realmID: realm.id),
            groups: try await installation.realms.groups(realmID: realm.id),
            clients: clients
        )
        let (holders, cut) = try await administering.holders(
            Dictionary(roles.map { ($0.roleName, $0.id) }) { $1 },
            in: installation.people
        )
        let people = holders.values.filter(\.isEnabled).map(\.person.username).sorted()
        let names = people.prefix(Self.most).map(printable).joined(separator: ", ")
        let more = people.count > Self.most || !cut.isEmpty ? " and more" : ""
        let everyone = "veryone who \(realm.registration == nil ? "is made" : "registers") there"
        let isByDefault = administering.isByDefault
        let imported = "Realm \(MasterRealm.name) was imported:"
        guard !people.isEmpty else {
            let who = isByDefault ? "e\(everyone)" : "no one"
            return "\(imported) \(who) administers realms of this server."
        }
        let verb = people.count == 1 && more.isEmpty ? "administers" : "administer"
        return "\(imported) \(names)\(more) \(verb) realms of this server."
            + (isByDefault ? " E\(everyone) does." : "")
    }
}
