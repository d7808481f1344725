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
        guard let said = merged.keycloak else { return merged }
        var merged = merged
        let here = existing.realm.keycloak ?? JSONObject()
        func keep(_ member: String, _ isKnown: (String) -> Bool) {
            let names = known(said, here, member, "realm", &report, isKnown)
            merged.keycloak?[member] = names
        }
        keep("defaultGroups", people.groups.isPath)
        keep("defaultRoles") { people.roles.contains(RoleName(clientID: nil, name: $0)) }
        for member in ["defaultDefaultClientScopes", "defaultOptionalClientScopes"] {
            keep(member) { scopes.contains(ExactText($0)) }
        }
        let member = "defaultRole"
        if let name = said.object(member)?.string("name"),
            here.object(member)?.string("name").map(ExactText.init) != ExactText(name),
            !people.roles.contains(RoleName(clientID: nil, name: name))
        {
            merged.keycloak?[member] = here[member]
            report.add(.skipped, "realm", "\(member) \(name)", "\(Self.unknown)")
        }
        return merged
    }

    /// The same of a client's roles that new people get.
    func giving(
        _ merged: Client,
        _ people: PersonImport,
        _ report: inout ImportReport
    ) -> Client {
        guard let said = merged.keycloak else { return merged }
        var merged = merged
        let here = existing.clients[ExactText(merged.clientID)]?.keycloak ?? JSONObject()
        let (member, subject) = ("defaultRoles", "client \(merged.clientID)")
        let clientID = merged.clientID
        let names = known(said, here, member, subject, &report) {
            people.roles.contains(RoleName(clientID: clientID, name: $0))
        }
        merged.keycloak?[member] = names
        return merged
    }

    /// Of a list of names those that are known, and those that are in that of here.
    private func known(
        _ said: JSONObject,
        _ here: JSONObject,
        _ member: String,
        _ subject: String,
        _ report: inout ImportReport,
        _ isKnown: (String) -> Bool
    ) -> JSONValue? {
        guard let names = said.strings(member) else { return said[member] }
        let kept = Set((here.strings(member) ?? []).map(ExactText.init))
        let others = names.filter { !kept.contains(ExactText($0)) && !isKnown($0) }
        guard !others.isEmpty else { return said[member] }
        for name in others {
            report.add(.skipped, subject, "\(member) \(name)", "\(Self.unknown)")
        }
        let left = Set(others.map(ExactText.init))
        let rest = names.filter { !left.contains(ExactText($0)) }
        // What it takes away goes, though it names nothing else.
        return rest.isEmpty && here[member] == nil ? .none : .some(.texts(rest))
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
