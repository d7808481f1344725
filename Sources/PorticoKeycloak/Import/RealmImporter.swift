package import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Imports realms out of files: each is put together where no one sees it, its people one by one, and
/// all become visible in one short transaction.
///
/// A file that turns out to be broken, an error, or the end of the program leaves staged realms and
/// nothing else; ``RealmStore/removeStaged()`` removes them. While an import is under way, nothing
/// else may call that.
package struct RealmImporter: Sendable {
    let realmImport: RealmImport
    let store: RealmStore
    let personStore: PersonStore
    private let isDryRun: Bool
    let conflict: ImportConflict

    /// - Parameters:
    ///   - isDryRun: Nothing is written, and everything else is the same.
    ///   - conflict: What becomes of a realm that is here already.
    package init(
        _ realmImport: RealmImport,
        store: RealmStore,
        people: PersonStore,
        isDryRun: Bool = false,
        conflict: ImportConflict = .fail
    ) {
        self.conflict = conflict
        personStore = people
        self.realmImport = realmImport
        self.store = store
        self.isDryRun = isDryRun
    }

    package struct Staged: Sendable {
        package let realm: Realm
        package let report: ImportReport
        let place: RealmPlace
        /// `nil`: it is a new realm.
        package var differences: Differences?
        var preview = Preview()
    }

    /// What was shown of a realm before a file is written over it: nothing else of it is deleted.
    struct Preview: Sendable {
        /// What `--prune` deletes.
        var deletions: Set<RealmDeletion> = []
        /// The states of people that it deletes.
        var people: Set<Hash256> = []
        /// Who administered it before.
        var administered: Administered?
    }

    /// How many people are written in one transaction.
    static let chunk = 100

    /// No one would administer this server any more.
    package struct LastAdministrator: Error {
        package let name: String
    }

    /// What ended an import when a part of it was written: doing it again does the rest.
    package struct Unfinished: Error {
        package let reason: any Error
    }

    /// A realm that a file was written over is not here any more.
    package struct Deleted: Error {
        package let name: String
    }

    /// A realm that is here already is compared, and nothing of it written.
    ///
    /// - Throws: ``RealmFileError``; ``RealmStore/TakenName`` where a realm may not be written over;
    ///   ``LastAdministrator``; and what the store throws.
    package func stage(_ realms: [RealmPlace], at moment: Moment) async throws -> [Staged] {
        if !isDryRun {
            try await store.removeStaged()
            // What is left of deleted ones has ids that a file may have again.
            try await store.removeDeleted()
        }
        var staged: [Staged] = []
        for place in realms {
            if let existing = try await existing(place.name) {
                guard conflict != .fail else { throw RealmStore.TakenName(name: place.name) }
                var report = ImportReport(realm: place.name)
                staged.append(
                    try await overwrite(
                        existing,
                        with: place,
                        after: nil,
                        at: moment,
                        report: &report
                    )
                )
            } else {
                staged.append(try await stage(place, at: moment))
            }
        }
        return staged
    }

    /// A realm as it is here now.
    func existing(_ name: String) async throws -> ExistingRealm? {
        for tries in 1... {
            guard let realm = try await store.realm(named: name) else { return nil }
            let state = try await store.state(of: realm.id)
            let whole = try await store.whole(id: realm.id)
            if let whole, try await store.lastChange() == state.number {
                return ExistingRealm(whole, state)
            }
            guard tries < Self.mostTries else { throw ChangedMeanwhile() }
        }
        return nil
    }

    /// Lets staged realms be seen: all or none. Then what differs is written over those that were here.
    ///
    /// - Parameter tell: Gets what their reports do not say, because others changed a realm meanwhile.
    /// - Throws: ``RealmStore/TakenName`` and ``RealmFileError``: nothing was written; ``Unfinished``.
    package func publish(
        _ staged: [Staged],
        at moment: Moment,
        telling tell: (ImportReport) -> Void = { _ in }
    ) async throws {
        guard !isDryRun else { return }
        for one in staged { try one.place.expectUnchanged() }
        let new = staged.filter { $0.differences == nil }.map(\.realm)
        if !new.isEmpty { try await store.publish(new) }
        for one in staged where one.differences != nil {
            do {
                try await overwrite(one, at: moment, telling: tell)
            } catch {
                throw Unfinished(reason: error)
            }
        }
    }

    /// Whether what was read has changed since, or is gone, so that it may go well once it is read anew.
    static func mayPass(_ error: any Error) -> Bool {
        error is ChangedMeanwhile || error is StoreConflict || error is MissingReference
    }

    /// Removes what was staged.
    package func abandon() async throws {
        if !isDryRun { try await store.removeStaged() }
    }

    private func stage(_ place: RealmPlace, at moment: Moment) async throws -> Staged {
        var report = ImportReport(realm: place.name)
        let representation = try place.representation()
        var imported: RealmImport.Imported
        do {
            imported = try realmImport(representation, at: moment, report: &report)
        } catch let error as RealmImportError {
            throw RealmFileError(file: place.file.name, reason: error)
        }
        if let subject = try await store.subjectWithUsedID(in: imported.realm) {
            throw RealmFileError(file: place.file.name, reason: .idTaken(path: subject))
        }
        if !isDryRun { try await store.stage(imported.realm) }
        let count = try await stagePeople(
            place,
            &imported.people,
            of: imported.realm,
            report: &report
        )
        try place.expectUnchanged()
        place.reportMissingPeople(representation, report: &report)
        let new = imported.realm
        let counts = [
            (new.clients.count, "client", "clients"), (new.roles.count, "role", "roles"),
            (new.groups.count, "group", "groups"), (count, "person", "people"),
        ]
        let words = counts.map { "\($0) \($0 == 1 ? $1 : $2)" }.joined(separator: ", ")
        report.add(.read, "realm \(place.name)", words)
        return Staged(realm: new.realm, report: report, place: place)
    }

    struct Read {
        var person: NewPerson
        let path: String
        let file: String
    }

    /// - Returns: How many there were.
    private func stagePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
        of realm: NewRealm,
        report: inout ImportReport
    ) async throws -> Int {
        var reader = PeopleReader(place.people)
        var chunk: [Read] = []
        var count = 0
        // A chunk is written while the next one is read.
        var writing: Task<Void, any Error>?
        do {
            while let user = try reader.next() {
                guard let read = try await read(user, reader.file, &people, report: &report)
                else { continue }
                chunk.append(read)
                count += 1
                if chunk.count == Self.chunk {
                    try await writing?.value
                    writing = try await write(chunk, people.moment.random)
                    chunk = []
                }
            }
            for account in try people.missingAccounts(of: realm) {
                let file = place.file.name
                guard let read = try await read(account, file, &people, report: &report) else {
                    continue
                }
                chunk.append(read)
            }
            try await writing?.value
            try await write(chunk, people.moment.random).value
        } catch {
            // It must not go on where the realm is removed.
            _ = await writing?.result
            throw error
        }
        return count
    }

    /// - Returns: `nil` for one that is left out.
    func read(
        _ user: Representation,
        _ file: String,
        _ people: inout PersonImport,
        report: inout ImportReport
    ) async throws -> Read? {
        do {
            guard let person = try await people(user, report: &report) else { return nil }
            return Read(person: person, path: user.path, file: file)
        } catch let error as RealmImportError {
            throw RealmFileError(file: file, reason: error)
        }
    }

    private func write(_ chunk: [Read], _ random: RandomSource) async throws -> Task<
        Void, any Error
    > {
        let used = try await store.idsInUse(ofPeople: chunk.map(\.person.person.id))
        if let taken = chunk.first(where: { used.contains($0.person.person.id) }) {
            throw RealmFileError(file: taken.file, reason: .idTaken(path: "\(taken.path).id"))
        }
        let people = try await withFreeCredentialIDs(chunk, random).map(\.person)
        return Task { [store, isDryRun] in
            if !isDryRun, !people.isEmpty { try await store.stage(people) }
        }
    }
}
