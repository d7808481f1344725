import PorticoBytes
import PorticoStores

extension RealmImporter {
    /// People under the ids by which they are known here.
    func withKnownIDs(_ chunk: [Read], realmID: String) async throws -> [Read] {
        let known = try await KnownPeople(
            chunk.map(\.person.person.id),
            store,
            personStore,
            realmID: realmID
        )
        var chunk = chunk
        for index in chunk.indices {
            let id = chunk[index].person.person.id
            let here = known.id(of: id)
            if known.isNoted(id) || !sameBytes(here, id) { chunk[index].person.knownAs = nil }
            chunk[index].person.take(here)
        }
        return chunk
    }
}

extension NewPerson {
    fileprivate mutating func take(_ id: String) {
        person.id = id
        for index in credentials.indices { credentials[index].personID = id }
    }
}
