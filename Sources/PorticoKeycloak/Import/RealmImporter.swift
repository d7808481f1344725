package import PorticoBytes
package import PorticoStores

/// Imports realms out of files: each is put together where no one sees it, its people one by one, and
/// all become visible in one short transaction.
///
/// A file that turns out to be broken, an error, or the end of the program leaves staged realms and
/// nothing else; ``RealmStore/removeStaged()`` removes them. While an import is under way, nothing
/// else may call that.
package struct RealmImporter: Sendable {
    private let realmImport: RealmImport
    private let store: RealmStore
    private let isDryRun: Bool

    /// - Parameter isDryRun: Nothing is written, and everything else is the same.
    package init(_ realmImport: RealmImport, store: RealmStore, isDryRun: Bool = false) {
        self.realmImport = realmImport
        self.store = store
        self.isDryRun = isDryRun
    }

    package struct Staged: Sendable {
        package let realm: Realm
        package let report: ImportReport
    }

    /// How many people are written in one transaction.
    private static let chunk = 100

    /// - Throws: ``RealmFileError``, and what the store throws.
    package func stage(_ realms: [RealmPlace], at moment: Moment) async throws -> [Staged] {
        if !isDryRun { try await store.removeStaged() }
        var staged: [Staged] = []
        for place in realms { staged.append(try await stage(place, at: moment)) }
        return staged
    }

    /// Lets staged realms be seen: all or none.
    ///
    /// - Throws: ``RealmStore/TakenName``.
    package func publish(_ staged: [Staged]) async throws {
        guard !isDryRun, !staged.isEmpty else { return }
        try await store.publish(staged.map(\.realm))
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
        return Staged(realm: new.realm, report: report)
    }

    private struct Read {
        let person: NewPerson
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
                let person: NewPerson?
                do {
                    person = try await people(user, report: &report)
                } catch let error as RealmImportError {
                    throw RealmFileError(file: reader.file, reason: error)
                }
                guard let person else { continue }
                chunk.append(Read(person: person, path: user.path, file: reader.file))
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
