import PorticoBytes
import PorticoProtocol
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
        let whole = try place.representation()
        let representation = try Representation(
            .object(DeletedHere(existing)(whole.object, report: &report)),
            path: whole.path
        )
        var imported: RealmImport.Imported
        let notes: [RealmPart]
        do {
            imported = try realmImport(
                representation,
                over: existing,
                at: moment,
                report: &report
            )
            notes = ImportNotes(ring: realmImport.ring, moment: moment)(
                imported.realm,
                secrets: try ImportNotes.secrets(in: representation)
            )
        } catch let error as RealmImportError {
            throw RealmFileError(file: place.file.name, reason: error)
        }
        if let subject = try await store.subjectWithUsedID(in: imported.realm, but: existing.ids) {
            throw RealmFileError(file: place.file.name, reason: .idTaken(path: subject))
        }
        let changes = try ImportDifference(existing: existing, ring: realmImport.ring)(
            imported.realm,
            notes.filter { $0.id != ImportNotes.Name.realm },
            report: &report
        )
        var differences = Differences(things: changes.count)
        try place.expectUnchanged()
        if !isDryRun {
            try await store.overwrite(
                existing.realm.id,
                with: changes,
                from: existing.version
            )
        }
        differences.people = try await overwritePeople(
            place,
            &imported.people,
            of: existing,
            at: moment,
            isDryRun: isDryRun,
            report: &report
        )
        // The last of all: from then on everything that has no note was made here.
        if !isDryRun, let note = notes.first(where: { $0.id == ImportNotes.Name.realm }) {
            try await store.put(note)
        }
        place.reportMissingPeople(representation, report: &report)
        return Staged(
            realm: imported.realm.realm,
            report: report,
            place: place,
            differences: differences
        )
    }

    /// How often a change is made anew because what is here changed meanwhile.
    static let mostTries = 20

    /// - Returns: How many differ.
    private func overwritePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
        of existing: ExistingRealm,
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
            try place.expectUnchanged()
            count += try await overwrite(
                chunk,
                of: existing,
                at: moment,
                isDryRun: isDryRun,
                report: &report
            )
        }
        return count
    }

    private func overwrite(
        _ chunk: [Read],
        of existing: ExistingRealm,
        at moment: Moment,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Int {
        for tries in 1... {
            var said = report
            let changes = try await changes(chunk, of: existing, at: moment, report: &said)
            do {
                if !isDryRun, !changes.isEmpty { try await personStore.overwrite(changes) }
            } catch
                where tries < Self.mostTries
                && (error is ChangedMeanwhile || error is StoreConflict)
            {
                continue
            }
            report = said
            return changes.count { $0.differs }
        }
        return 0
    }

    private func changes(
        _ chunk: [Read],
        of existing: ExistingRealm,
        at moment: Moment,
        report: inout ImportReport
    ) async throws -> [PersonChange] {
        let realmID = existing.realm.id
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
            isNoted: existing.isNoted
        )
        var planned: [PlannedPerson] = []
        for (read, id) in zip(chunk, ids) {
            var new = read.person
            new.take(id)
            let subject = "user \(new.person.username)"
            if let former = kept[id] {
                let plan = try difference(new, holdsPassword: read.holdsPassword, over: former)
                for path in plan.refused {
                    report.add(.skipped, subject, path.text, "\(ImportDifference.refused)")
                }
                planned.append(plan)
            } else if used.contains(id) {
                report.add(.skipped, subject, "was deleted here, or is someone in another realm")
            } else {
                planned.append(
                    PlannedPerson(
                        new: new,
                        fields: new.imported.flatMap(ImportedFields.init(document:))
                            ?? ImportedFields()
                    )
                )
            }
        }
        let names = planned.map(\.new.person.username)
        let taken = PersonNames.settle(&planned, owners)
        var changes: [PersonChange] = []
        for (index, plan) in planned.enumerated() {
            let subject = "user \(names[index])"
            if taken.usernames.contains(index) {
                report.add(.skipped, subject, "someone else here has the user name")
                if plan.former == nil { continue }
            }
            if taken.emails.contains(index) {
                let words: StaticString =
                    plan.former == nil
                    ? "another person has the email address: left out"
                    : "another person has the email address: it stays as it is here"
                report.add(.changed, subject, "\(words)")
            }
            if let change = plan.change(at: moment.seconds) { changes.append(change) }
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
