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

    /// - Parameter isDryRun: Nothing is written, and everything else is the same.
    package init(
        _ realmImport: RealmImport,
        store: RealmStore,
        people: PersonStore,
        isDryRun: Bool = false
    ) {
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
    }

    /// How many people are written in one transaction.
    static let chunk = 100

    /// A realm that is here already is compared, and nothing of it written.
    ///
    /// - Throws: ``RealmFileError``, and what the store throws.
    package func stage(_ realms: [RealmPlace], at moment: Moment) async throws -> [Staged] {
        if !isDryRun { try await store.removeStaged() }
        let here = try await self.here()
        var staged: [Staged] = []
        for place in realms {
            if let existing = try await here(place.name) {
                staged.append(
                    try await overwrite(existing, with: place, at: moment, isDryRun: true)
                )
            } else {
                staged.append(try await stage(place, at: moment))
            }
        }
        return staged
    }

    /// The realms that are here now.
    private func here() async throws -> (String) async throws -> ExistingRealm? {
        let snapshot = try await store.snapshot()
        return { [store] name in
            guard let realm = snapshot.realms.first(where: { sameBytes($0.name, name) }) else {
                return nil
            }
            return try await ExistingRealm(realm, snapshot, store)
        }
    }

    /// Lets staged realms be seen: all or none. Then what differs is written over those that were here.
    ///
    /// - Throws: ``RealmStore/TakenName``.
    package func publish(_ staged: [Staged], at moment: Moment) async throws {
        guard !isDryRun else { return }
        let new = staged.filter { $0.differences == nil }.map(\.realm)
        if !new.isEmpty { try await store.publish(new) }
        let here = try await self.here()
        for one in staged where one.differences?.isEmpty == false {
            guard let existing = try await here(one.place.name) else { throw MissingReference() }
            _ = try await overwrite(existing, with: one.place, at: moment, isDryRun: false)
        }
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
        let count = try await stagePeople(place, &imported.people, report: &report)
        place.reportMissingPeople(representation, report: &report)
        let new = imported.realm
        report.add(
            .read,
            "realm \(place.name)",
            "\(new.clients.count) clients, \(new.roles.count) roles, \(count) people"
        )
        return Staged(realm: new.realm, report: report, place: place)
    }

    struct Read {
        let person: NewPerson
        /// Whether the file says what its id is.
        let hasID: Bool
        let path: String
        let file: String
    }

    /// - Returns: How many there were.
    private func stagePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
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
                    writing = try await write(chunk)
                    chunk = []
                }
            }
            try await writing?.value
            try await write(chunk).value
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
            let hasID = user.object.string("id") != nil
            return Read(person: person, hasID: hasID, path: user.path, file: file)
        } catch let error as RealmImportError {
            throw RealmFileError(file: file, reason: error)
        }
    }

    private func write(_ chunk: [Read]) async throws -> Task<Void, any Error> {
        let used = try await store.idsInUse(ofPeople: chunk.map(\.person.person.id))
        if let taken = chunk.first(where: { used.contains($0.person.person.id) }) {
            throw RealmFileError(file: taken.file, reason: .idTaken(path: "\(taken.path).id"))
        }
        let people = chunk.map(\.person)
        return Task { [store, isDryRun] in
            if !isDryRun, !people.isEmpty { try await store.stage(people) }
        }
    }
}
