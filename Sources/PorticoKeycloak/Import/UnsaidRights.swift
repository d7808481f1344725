import PorticoBytes
import PorticoProvider
import PorticoStores

/// Roles, groups and clients that are here and that a file does not know: they were made here, were
/// changed here, or could not be imported. It says nothing of who has them, so whoever does keeps them.
struct UnsaidRights {
    private let roles: Set<RoleName>
    private let groupIDs: Set<String>
    /// What a note says of them (``FieldPath/digest``).
    let paths: Set<UInt64>
    /// The names of notes of clients that are here.
    let clientNotes: Set<String>

    init(_ existing: ExistingRealm, _ new: NewRealm) {
        let roles = Set(existing.roles.keys).subtracting(new.roles.map(\.roleName))
        let groupIDs = Set(existing.groups.values.map(\.group.id))
            .subtracting(new.groups.map(\.group.id))
        let clientIDs = Set(existing.clients.values.map(\.id)).subtracting(new.clients.map(\.id))
        var paths: Set<UInt64> = []
        for role in roles {
            for member in [ImportNotes.roles, ImportNotes.contents, ImportNotes.limits] {
                paths.insert(FieldPath.role(role, in: member).digest)
            }
        }
        for id in groupIDs { paths.insert(FieldPath.group(id).digest) }
        for id in clientIDs { paths.insert(FieldPath.consent(id).digest) }
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
