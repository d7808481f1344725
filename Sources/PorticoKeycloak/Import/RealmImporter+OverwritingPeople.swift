import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The people of files written over realms that are here.
extension RealmImporter {
    /// - Returns: How many differ.
    func overwritePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
        from new: NewRealm,
        of existing: ExistingRealm,
        administering: inout AdministeringPeople,
        at moment: Moment,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Int {
        var reader = PeopleReader(place.people)
        var count = 0
        // Everyone in the file, and who has what they would get.
        var seen = SeenTexts()
        var isAtEnd = false
        while !isAtEnd {
            var chunk: [Read] = []
            while chunk.count < Self.chunk, !isAtEnd {
                guard let user = try reader.next() else {
                    isAtEnd = true
                    continue
                }
                if let read = try await read(user, reader.file, &people, report: &report) {
                    chunk.append(read)
                }
            }
            if isAtEnd {
                for account in try await accounts(people, of: new) {
                    let file = place.file.name
                    if let read = try await read(account, file, &people, report: &report) {
                        chunk.append(read)
                    }
                }
            }
            try place.expectUnchanged()
            count += try await overwrite(
                try await withFreeCredentialIDs(chunk, people.moment.random).map(\.person),
                of: existing,
                seen: &seen,
                administering: &administering,
                at: moment,
                isDryRun: isDryRun,
                report: &report
            )
        }
        guard conflict.writesOver, !place.people.isEmpty else { return count }
        return count
            + (try await prune(
                existing,
                seen,
                &administering,
                isDryRun: isDryRun,
                report: &report
            ))
    }

    /// Accounts of the file's clients that neither the file nor this realm has.
    private func accounts(_ people: PersonImport, of new: NewRealm) async throws -> [Representation]
    {
        var accounts: [Representation] = []
        for account in try people.missingAccounts(of: new) {
            let clientID = try account.text("serviceAccountClientId") ?? ""
            guard let id = people.clients[ExactText(clientID)],
                try await personStore.serviceAccount(of: id, realmID: new.realm.id) == nil
            else { continue }
            accounts.append(account)
        }
        return accounts
    }

    private func overwrite(
        _ chunk: [NewPerson],
        of existing: ExistingRealm,
        seen: inout SeenTexts,
        administering: inout AdministeringPeople,
        at moment: Moment,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Int {
        for tries in 1... {
            var (said, after) = (report, administering)
            let here = try await PeopleHere(
                chunk,
                store,
                personStore,
                realmID: existing.realm.id
            )
            let difference = PersonDifference(
                existing: existing,
                here: here,
                conflict: conflict,
                seal: CredentialSeal(ring: realmImport.ring)
            )
            var changes: [PersonChange] = []
            for person in chunk {
                let change = try difference(person, at: moment, seen: &seen, report: &said)
                guard let change else { continue }
                after.add(change.person, to: &said)
                if change.differs { changes.append(change) }
            }
            do {
                if !isDryRun, !changes.isEmpty {
                    try await personStore.overwrite(changes, roleIDs: existing.roleIDs)
                }
            } catch
                where tries < Self.mostTries
                && (error is ChangedMeanwhile || error is StoreConflict)
            {
                continue
            }
            (report, administering) = (said, after)
            return changes.count
        }
        return 0
    }

    /// The people who are here and not in the file. In realm `master`, none who administers is deleted.
    private func prune(
        _ existing: ExistingRealm,
        _ seen: SeenTexts,
        _ administering: inout AdministeringPeople,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Int {
        let realmID = existing.realm.id
        var (count, cursor): (Int, String?) = (0, nil)
        while true {
            let page = try await personStore.people(
                realmID: realmID,
                after: cursor,
                limit: Self.chunk
            )
            for person in page where !seen.contains(person.id) {
                let subject = "user \(person.username)"
                guard conflict.prunesPeople else {
                    let words: StaticString =
                        "not in the file: --people overwrite --prune deletes them"
                    report.add(.stays, subject, "\(words)")
                    continue
                }
                if existing.realm.name == AdminRights.master,
                    let kept = try await personStore.person(id: person.id, realmID: realmID),
                    administering.isAdministering(kept)
                {
                    let words: StaticString =
                        "not in the file, and administers this server: delete them by command"
                    report.add(.stays, subject, "\(words)")
                    continue
                }
                report.add(.deleted, subject, "not in the file")
                administering.forget(person.id)
                count += 1
                if !isDryRun {
                    _ = try await personStore.deletePerson(id: person.id, realmID: realmID)
                }
            }
            guard page.count == Self.chunk, let last = page.last else { return count }
            cursor = last.username
        }
    }
}
