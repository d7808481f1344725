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
        let words = ImportNotes(ring: realmImport.ring, moment: moment)
        let notes: [RealmPart]
        do {
            imported = try realmImport(
                representation,
                over: existing,
                at: moment,
                report: &report
            )
            notes = words(
                imported.realm,
                secrets: try ImportNotes.secrets(in: representation),
                shut: imported.shut
            )
        } catch let error as RealmImportError {
            throw RealmFileError(file: place.file.name, reason: error)
        }
        if let subject = try await store.subjectWithUsedID(in: imported.realm, but: existing.ids) {
            throw RealmFileError(file: place.file.name, reason: .idTaken(path: subject))
        }
        let unsaid = UnsaidRights(existing, imported.realm)
        let changes = try ImportDifference(
            existing: existing,
            notes: words,
            ring: realmImport.ring
        )(
            imported,
            notes.filter { $0.id != ImportNotes.Name.realm },
            unsaid,
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
            unsaid,
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
        _ unsaid: UnsaidRights,
        at moment: Moment,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Int {
        var reader = PeopleReader(place.people)
        var count = 0
        var waiting: [Read] = []
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
            let done = try await overwrite(
                try await withFreeCredentialIDs(chunk, people.moment.random),
                of: existing,
                unsaid,
                at: moment,
                isDryRun: isDryRun,
                mayWait: waiting.count + chunk.count <= Self.mostWaiting,
                report: &report
            )
            count += done.count
            waiting += done.waiting
        }
        let done = try await overwrite(
            waiting,
            of: existing,
            unsaid,
            at: moment,
            isDryRun: isDryRun,
            mayWait: false,
            report: &report
        )
        return count + done.count
    }

    /// How many people wait for a name that someone else has, who may give it up further on. They are
    /// written in one transaction.
    private static let mostWaiting = 500

    private func overwrite(
        _ chunk: [Read],
        of existing: ExistingRealm,
        _ unsaid: UnsaidRights,
        at moment: Moment,
        isDryRun: Bool,
        mayWait: Bool,
        report: inout ImportReport
    ) async throws -> (count: Int, waiting: [Read]) {
        for tries in 1... {
            var said = report
            let (changes, waiting) = try await self.changes(
                chunk,
                of: existing,
                unsaid,
                at: moment,
                mayWait: mayWait,
                report: &said
            )
            do {
                if !isDryRun, !changes.isEmpty { try await personStore.overwrite(changes) }
            } catch
                where tries < Self.mostTries
                && (error is ChangedMeanwhile || error is StoreConflict)
            {
                continue
            }
            report = said
            return (changes.count { $0.differs }, waiting)
        }
        return (0, [])
    }

    private func changes(
        _ chunk: [Read],
        of existing: ExistingRealm,
        _ unsaid: UnsaidRights,
        at moment: Moment,
        mayWait: Bool,
        report: inout ImportReport
    ) async throws -> (changes: [PersonChange], waiting: [Read]) {
        let realmID = existing.realm.id
        let owners = try await personStore.owners(
            usernames: chunk.map(\.person.person.username),
            emails: chunk.compactMap(\.person.person.email),
            realmID: realmID
        )
        var ids = chunk.map(\.person.person.id)
        let used = try await store.idsInUse(ofPeople: ids)
        let byName = chunk.indices.compactMap { index -> (index: Int, id: String)? in
            guard !chunk[index].hasID, !used.contains(ids[index]) else { return nil }
            return owners.usernames[chunk[index].person.person.username].map { (index, $0) }
        }
        let kept = try await personStore.kept(ids + byName.map(\.id), realmID: realmID)
        // Imports of before made ids by chance. Who came here otherwise is someone else.
        for (index, id) in byName {
            let name = chunk[index].person.person.username
            let noted = kept[id]?.imported.flatMap(ImportedFields.init(document:))
            if !existing.isNoted || noted?.says(.string(name), at: .username) == true {
                ids[index] = id
            }
        }
        let difference = PersonDifference(
            seal: CredentialSeal(ring: realmImport.ring),
            isNoted: existing.isNoted,
            unsaid: unsaid
        )
        var planned: [PlannedPerson] = []
        var places: [Int] = []
        let said = report
        for (place, read) in chunk.enumerated() {
            let id = ids[place]
            var new = read.person
            new.take(id)
            let subject = "user \(new.person.username)"
            if let former = kept[id] {
                guard !existing.isNoted || former.imported != nil else {
                    report.add(.skipped, subject, "was made here: stays as it is here")
                    continue
                }
                places.append(place)
                planned.append(
                    try difference(new, holdsPassword: read.holdsPassword, over: former)
                )
            } else if used.contains(id) {
                report.add(.skipped, subject, "was deleted here, or is someone in another realm")
            } else {
                places.append(place)
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
        let refused = Set(taken.usernames.union(taken.emails).map { places[$0] })
        if mayWait, !refused.isEmpty {
            // Without them, so that no one takes what they have until they are written.
            report = said
            let rest = try await self.changes(
                chunk.indices.filter { !refused.contains($0) }.map { chunk[$0] },
                of: existing,
                unsaid,
                at: moment,
                mayWait: true,
                report: &report
            )
            return (rest.changes, refused.sorted().map { chunk[$0] } + rest.waiting)
        }
        var changes: [PersonChange] = []
        for (index, plan) in planned.enumerated() {
            let subject = "user \(names[index])"
            for path in plan.refused {
                report.add(.skipped, subject, path.text, "\(ImportDifference.refused)")
            }
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
        return (changes, [])
    }
}

extension NewPerson {
    fileprivate mutating func take(_ id: String) {
        person.id = id
        for index in credentials.indices { credentials[index].personID = id }
    }
}
