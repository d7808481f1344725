import PorticoBytes
import PorticoProvider
import PorticoStores

/// Files written over realms that are here: what differs, and nothing else.
extension RealmImporter {
    /// How much of a realm differs from what is here.
    package struct Differences: Hashable, Sendable {
        /// Settings, clients, roles, groups, scopes, keys and what lies between them.
        package var things = 0
        package var people = 0

        package var isEmpty: Bool { things == 0 && people == 0 }
    }

    /// Reads a realm and all of its people.
    ///
    /// - Parameter isDryRun: Only says what differs.
    func overwrite(
        _ existing: ExistingRealm,
        with place: RealmPlace,
        at moment: Moment,
        isDryRun: Bool
    ) async throws -> Staged {
        var report = ImportReport(realm: place.name)
        let representation = try place.representation()
        var imported: RealmImport.Imported
        do {
            imported = try realmImport(
                representation,
                over: existing,
                at: moment,
                report: &report
            )
        } catch let error as RealmImportError {
            throw RealmFileError(file: place.file.name, reason: error)
        }
        if let subject = try await store.subjectWithUsedID(in: imported.realm, but: existing.ids) {
            throw RealmFileError(file: place.file.name, reason: .idTaken(path: subject))
        }
        let changes = try ImportDifference(existing: existing, ring: realmImport.ring)(
            imported.realm
        )
        var differences = Differences(things: changes.count)
        if !isDryRun { try await store.overwrite(existing.realm.id, with: changes) }
        differences.people = try await overwritePeople(
            place,
            &imported.people,
            in: existing.realm.id,
            at: moment,
            isDryRun: isDryRun,
            report: &report
        )
        place.reportMissingPeople(representation, report: &report)
        return Staged(
            realm: imported.realm.realm,
            report: report,
            place: place,
            differences: differences
        )
    }

    /// - Returns: How many differ.
    private func overwritePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
        in realmID: String,
        at moment: Moment,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Int {
        var reader = PeopleReader(place.people)
        var count = 0
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
            let changes = try await changes(chunk, in: realmID, at: moment, report: &report)
            count += changes.count
            if !isDryRun, !changes.isEmpty { try await personStore.overwrite(changes) }
        }
        return count
    }

    private func changes(
        _ chunk: [Read],
        in realmID: String,
        at moment: Moment,
        report: inout ImportReport
    ) async throws -> [PersonChange] {
        let owners = try await personStore.owners(
            usernames: chunk.map(\.person.person.username),
            emails: chunk.compactMap(\.person.person.email),
            realmID: realmID
        )
        let ids = chunk.map { read in
            let person = read.person.person
            return read.hasID ? person.id : owners.usernames[person.username] ?? person.id
        }
        let kept = try await personStore.kept(ids, realmID: realmID)
        let used = try await store.idsInUse(ofPeople: ids)
        let difference = PersonDifference(
            seal: CredentialSeal(ring: realmImport.ring),
            moment: moment
        )
        var changes: [PersonChange] = []
        for (read, id) in zip(chunk, ids) {
            var new = read.person
            new.take(id)
            let subject = "user \(new.person.username)"
            if let owner = owners.usernames[new.person.username], owner != id {
                report.add(.skipped, subject, "someone else here has the user name")
                continue
            }
            if let email = new.person.email, let owner = owners.emails[email], owner != id {
                report.add(.changed, subject, "another person has the email address: left out")
                new.person.email = nil
                new.person.isEmailVerified = false
            }
            if let former = kept[id] {
                guard let new = try difference(new, over: former) else { continue }
                changes.append(PersonChange(new, isNew: false))
            } else if used.contains(id) {
                report.add(.skipped, subject, "was deleted here, or is someone in another realm")
            } else {
                changes.append(PersonChange(new, isNew: true))
            }
        }
        return changes
    }
}

extension NewPerson {
    fileprivate mutating func take(_ id: String) {
        person.id = id
        for index in credentials.indices { credentials[index].personID = id }
    }
}
