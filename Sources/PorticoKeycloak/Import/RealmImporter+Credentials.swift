import PorticoAdministration
import PorticoBytes
import PorticoStores

extension RealmImporter {
    /// Ids of credentials are given once in the whole store: one that someone else's has is made anew.
    func withFreeCredentialIDs(_ chunk: [Read], _ random: RandomSource) async throws -> [Read] {
        let owners = try await personStore.owners(
            ofCredentials: chunk.flatMap { $0.person.credentials.map(\.id) }
        )
        guard !owners.isEmpty else { return chunk }
        let seal = CredentialSeal(ring: realmImport.ring)
        var chunk = chunk
        for index in chunk.indices {
            for place in chunk[index].person.credentials.indices {
                var credential = chunk[index].person.credentials[place]
                guard let owner = owners[credential.id], !sameBytes(owner, credential.personID)
                else { continue }
                let secret = try seal.open(credential.sealedSecret, of: credential.id)
                credential.id = UniqueID(random: random).text
                credential.sealedSecret = seal.seal(secret, of: credential.id, random: random)
                chunk[index].person.credentials[place] = credential
            }
        }
        return chunk
    }
}
