import PorticoAdministration
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

    /// How often a change is made anew because what is here changed meanwhile.
    static let mostTries = 20

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
        let whole = try place.said()
        let file = FileThings(whole.object, over: existing, report: &report)
        let difference = ImportDifference(
            existing: existing,
            file: file,
            conflict: conflict,
            ring: realmImport.ring
        )
        var imported: RealmImport.Imported
        do {
            let filled = existing.filling(file.object)
            var object = file.object
            // What is completed is not the role that everyone has here.
            let everyone = existing.realm.kept["defaultRole"]
            object["defaultRole"] = object["defaultRole"] ?? everyone
            imported = try realmImport(
                try Representation(.object(object), path: whole.path).completed(named: place.name),
                over: existing,
                filled: try Representation(.object(filled), path: whole.path),
                at: moment,
                report: &report
            )
        } catch let error as RealmImportError {
            throw RealmFileError(file: place.file.name, reason: error)
        }
        let known = existing.thingIDs
        if let subject = try await store.subjectWithUsedID(in: imported.realm, but: known) {
            throw RealmFileError(file: place.file.name, reason: .idTaken(path: subject))
        }
        var changes = try difference(imported, report: &report)
        if conflict.writesOver { difference.addMissing(imported, to: &changes, &report) }
        var administering = existing.administering(after: changes)
        administering.add(to: &report)
        var written = existing
        for role in changes.roles { written.roleIDs[role.roleName] = role.id }
        var differences = Differences(things: changes.count)
        try place.expectUnchanged()
        if !isDryRun {
            try await store.overwrite(existing.realm.id, with: changes, from: existing.state)
        }
        try await administering.look(written.roleIDs, in: personStore)
        differences.people = try await overwritePeople(
            place,
            &imported.people,
            from: imported.realm,
            of: written,
            administering: &administering,
            at: moment,
            isDryRun: isDryRun,
            report: &report
        )
        administering.addOthers(to: &report)
        if isDryRun { try await expectAdministrator(existing, administering) }
        if conflict.writesOver { place.reportMissingPeople(whole, report: &report) }
        return Staged(
            realm: changes.realm ?? existing.realm,
            report: report,
            place: place,
            differences: differences
        )
    }

    /// - Throws: ``LastAdministrator`` where there was one before, and would be none afterwards.
    private func expectAdministrator(
        _ existing: ExistingRealm,
        _ after: AdministeringPeople
    ) async throws {
        guard existing.realm.name == AdminRights.master, !after.hasAdministrator else { return }
        var before = existing.administering(after: RealmChanges())
        try await before.look(existing.roleIDs, in: personStore)
        guard !before.hasAdministrator else { throw LastAdministrator(name: existing.realm.name) }
    }
}
