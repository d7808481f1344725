import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// What things of a realm give by names: no one newly gets anything by a name whose thing is not
/// the file's.
extension ImportDifference {
    private static let unknown: StaticString =
        "is not the file's here, or not described in it: no one gets it by its name"

    /// A realm without what new people and clients would get by other things' names.
    func giving(
        _ merged: Realm,
        _ people: PersonImport,
        _ report: inout ImportReport
    ) -> Realm {
        var merged = merged
        for member in ["defaultDefaultClientScopes", "defaultOptionalClientScopes"] {
            guard let names = merged.kept.object.strings(member) else { continue }
            let here = Set((existing.realm.kept.object.strings(member) ?? []).map(ExactText.init))
            let others = names.filter {
                !here.contains(ExactText($0)) && !scopes.contains(ExactText($0))
            }
            for name in others {
                report.add(.skipped, "realm", "\(member) \(name)", "\(Self.unknown)")
            }
            let rest = names.filter { !others.contains($0) }
            merged.kept[member] = rest.isEmpty && here.isEmpty ? nil : .texts(rest)
        }
        let here = existing.realm.defaultRoles
        let others = merged.defaultRoles.filter { !here.contains($0) && !people.roles.contains($0) }
        for role in others {
            report.add(.skipped, "realm", "defaultRoles \(role.name)", "\(Self.unknown)")
        }
        merged.defaultRoles.removeAll(where: others.contains)
        if merged.defaultRoles.isEmpty, !others.isEmpty { merged.defaultRoles = here }
        return merged
    }

    /// Scopes of a client that the file does not describe: it says nothing of who has them.
    func unsaid(_ here: [String], by file: [String]) -> [String] {
        let named = scopes.union(file.map(ExactText.init))
        return here.filter {
            existing.scopes[ExactText($0)] != nil && !named.contains(ExactText($0))
        }
    }

    /// Whether a client has another secret than an import gave it.
    func isChangedHere(secretOf here: Client) -> Bool {
        guard here.secret != nil else { return false }
        if let former = existing.secrets[ExactText(here.clientID)] {
            return !ClientRegistration(ring: ring).isSecret(former, of: here)
        }
        let note = existing.fields(ImportNotes.Name.client(here.clientID))
        return note?.says(here.secretNote, at: .madeSecret) != true
    }
}
