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

    /// Where realms are changed meanwhile, the differences are found anew.
    func overwrite(
        _ staged: Staged,
        at moment: Moment,
        telling tell: (ImportReport) -> Void
    ) async throws {
        let place = staged.place
        var told = staged.report
        for tries in 1... {
            guard let existing = try await existing(place.name) else {
                throw Deleted(name: place.name)
            }
            var report = ImportReport(realm: place.name)
            var failure: (any Error)?
            do {
                _ = try await overwrite(
                    existing,
                    with: place,
                    at: moment,
                    isDryRun: false,
                    report: &report
                )
            } catch {
                failure = error
            }
            if let news = report.news(since: told) {
                told.add(news)
                tell(news)
            }
            guard let failure else { return }
            guard tries < Self.mostTries, Self.mayPass(failure) else { throw failure }
        }
    }

    /// Reads a realm and all of its people.
    ///
    /// - Parameter isDryRun: Only says what differs.
    func overwrite(
        _ existing: ExistingRealm,
        with place: RealmPlace,
        at moment: Moment,
        isDryRun: Bool,
        report: inout ImportReport
    ) async throws -> Staged {
        let whole = try place.representation()
        let deleted = DeletedHere(existing, whole.object)
        let representation = try Representation(
            .object(deleted(whole.object, report: &report)),
            path: whole.path
        )
        var imported: RealmImport.Imported
        let words: ImportNotes
        let scopes: Set<ExactText>
        var notes: [RealmPart]
        do {
            imported = try realmImport(
                representation,
                over: existing,
                without: deleted,
                at: moment,
                report: &report
            )
            scopes = Set(imported.realm.scopes.map { ExactText($0.name) })
            // Of scopes that the file does not speak of, nothing is noted, and nothing changed.
            if representation.object["clientScopes"] == nil {
                imported.realm.scopes.removeAll { existing.scopes[ExactText($0.name)] != nil }
            }
            words = ImportNotes(
                ring: realmImport.ring,
                moment: moment,
                fileIDs: imported.fileIDs
            )
            notes = try words(
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
        // Where there was none, the realm's own is the last of all: from then on everything that has no
        // note was made here.
        var last: RealmPart?
        if !existing.isNoted {
            last = notes.first { $0.id == ImportNotes.Name.realm }
            notes.removeAll { $0.id == ImportNotes.Name.realm }
        }
        let unsaid = UnsaidRights(existing, imported.realm, scopes: scopes)
        var changes = try ImportDifference(
            existing: existing,
            notes: words,
            ring: realmImport.ring,
            scopes: scopes
        )(
            imported,
            notes,
            unsaid,
            report: &report
        )
        if last != nil {
            changes.imported.append(words.start(imported.realm.realm))
        }
        var administering = existing.administering(after: changes)
        administering.add(to: &report)
        var written = existing
        for role in changes.roles { written.roleIDs[role.roleName] = role.id }
        var differences = Differences(things: changes.count)
        try place.expectUnchanged()
        if !isDryRun {
            try await store.overwrite(
                existing.realm.id,
                with: changes,
                from: existing.state
            )
        }
        try await administering.look(written.roleIDs, in: personStore)
        differences.people = try await overwritePeople(
            place,
            &imported.people,
            from: imported.realm,
            of: written,
            unsaid,
            administering: &administering,
            at: moment,
            isDryRun: isDryRun,
            report: &report
        )
        administering.addOthers(to: &report)
        if !isDryRun, let last { try await store.put(last) }
        place.reportMissingPeople(representation, report: &report)
        return Staged(
            realm: imported.realm.realm,
            report: report,
            place: place,
            differences: differences
        )
    }
}
