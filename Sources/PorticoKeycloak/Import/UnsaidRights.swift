import PorticoBytes
import PorticoProvider
import PorticoStores

/// Roles, groups, client scopes and clients that are here, or that a file of before knew, and that this
/// one does not know: they were made here, were changed here, or could not be imported. It says nothing
/// of who has them, so those who do keep them, and what was taken away stays known.
struct UnsaidRights {
    private let roles: Set<RoleName>
    private let groupIDs: Set<String>
    /// What a note says of them (``FieldPath/digest``).
    let paths: Set<UInt64>
    /// The names of notes of clients that are here.
    let clientNotes: Set<String>

    /// - Parameter scopes: Those that the file's clients can have (``ImportDifference/scopes``).
    init(_ existing: ExistingRealm, _ new: NewRealm, scopes: Set<ExactText>) {
        let roles = Set(existing.roles.keys).subtracting(new.roles.map(\.roleName))
        let groupIDs = Set(existing.groups.values.map(\.group.id))
            .subtracting(new.groups.map(\.group.id))
        var paths: Set<UInt64> = []
        var (knownRoles, knownScopes) = (roles, Set(existing.scopes.keys))
        for note in existing.notes.keys {
            let names = ImportNotes.Name.names(in: note)
            guard let name = names.last else { continue }
            switch (names[0], names.count) {
            case ("role", 2): knownRoles.insert(RoleName(clientID: nil, name: name))
            case ("role", 3): knownRoles.insert(RoleName(clientID: names[1], name: name))
            case ("scope", 2): knownScopes.insert(ExactText(name))
            default: break
            }
        }
        for role in knownRoles.subtracting(new.roles.map(\.roleName)) {
            for member in [ImportNotes.roles, ImportNotes.contents, ImportNotes.limits] {
                paths.insert(FieldPath.role(role, in: member).digest)
            }
        }
        for scope in knownScopes.subtracting(scopes) {
            paths.insert(FieldPath(Client.scopesMember, scope.text).digest)
        }
        for id in groupIDs { paths.insert(FieldPath.group(id).digest) }
        // A file without someone's consent does not take it back, so what was taken back stays known.
        for client in existing.clients.values {
            paths.insert(FieldPath.consent(client.id).digest)
        }
        clientNotes = Set(existing.clients.keys.map { ImportNotes.Name.client($0.text) })
        (self.roles, self.groupIDs, self.paths) = (roles, groupIDs, paths)
    }

    /// What is kept, as far as the file can say it.
    func said(_ kept: Set<RoleName>) -> Set<RoleName> { kept.subtracting(roles) }
    func said(_ kept: Set<String>) -> Set<String> { kept.subtracting(groupIDs) }

    /// The rest of what is kept.
    func unsaid(_ kept: Set<RoleName>) -> Set<RoleName> { kept.intersection(roles) }
    func unsaid(_ kept: Set<String>) -> Set<String> { kept.intersection(groupIDs) }
}
