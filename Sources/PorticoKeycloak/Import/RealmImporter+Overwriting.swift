import PorticoAdministration
import PorticoBytes
import PorticoProtocol
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
                    after: staged.preview,
                    at: moment,
                    report: &report
                )
            } catch is LastHolder {
                failure = LastAdministrator(name: place.name)
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
    /// - Parameter preview: What was shown; `nil`: this shows it, and writes nothing.
    func overwrite(
        _ existing: ExistingRealm,
        with place: RealmPlace,
        after preview: Preview?,
        at moment: Moment,
        report: inout ImportReport
    ) async throws -> Staged {
        let former = try await administered(existing, at: moment, preview)
        let whole = try place.said()
        let file = FileThings(whole.object, over: existing, report: &report)
        let difference = ImportDifference(
            existing: existing,
            file: file,
            conflict: conflict,
            ring: realmImport.ring,
            random: moment.random
        )
        var imported: RealmImport.Imported
        do {
            let filled = existing.filling(file.object)
            imported = try realmImport(
                try Representation(.object(file.object), path: whole.path)
                    .completed(named: place.name, isNew: false),
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
        if conflict.writesOver {
            let named = preview?.deletions
            difference.addMissing(imported, named: named, to: &changes, &report)
        }
        var administering = existing.administering(after: changes)
        administering.add(to: &report)
        var written = existing
        for role in changes.roles { written.roleIDs[role.roleName] = role.id }
        var differences = Differences(things: changes.count)
        try place.expectUnchanged()
        if preview != nil {
            try await store.overwrite(
                existing.realm.id,
                with: changes,
                from: existing.state,
                keeping: existing.lastingRole(at: moment)
            )
        }
        try await administering.look(
            written.roleIDs,
            in: personStore,
            since: former,
            at: moment.seconds
        )
        // People are written later, so there is to be one without them, too.
        if preview == nil { try existing.expectAdministrator(former, administering) }
        var writing = PeopleWriting(
            existing: written,
            preview: preview,
            administering: administering,
            moment: moment
        )
        differences.people = try await overwritePeople(
            place,
            &imported.people,
            from: imported.realm,
            &writing,
            report: &report
        )
        writing.administering.addOthers(to: &report)
        if preview == nil { try existing.expectAdministrator(former, writing.administering) }
        if conflict.writesOver { place.reportMissingPeople(whole, report: &report) }
        return Staged(
            realm: changes.realm ?? existing.realm,
            report: report,
            place: place,
            differences: differences,
            preview: Preview(
                deletions: Set(changes.deletions),
                people: writing.doomed,
                administered: former
            )
        )
    }

    /// Who administers a realm before anything of it is written.
    private func administered(
        _ existing: ExistingRealm,
        at moment: Moment,
        _ preview: Preview?
    ) async throws -> Administered {
        if let known = preview?.administered { return known }
        var before = existing.administering(after: RealmChanges())
        try await before.look(existing.roleIDs, in: personStore, since: nil, at: moment.seconds)
        return before.administered
    }
}

extension ExistingRealm {
    /// In realm `master`, the role that someone must be left with.
    func lastingRole(at moment: Moment) -> LastingRole? {
        guard realm.name == AdminRights.master else { return nil }
        return LastingRole(AdminRights.whole(in: realm.name), at: moment.seconds)
    }

    /// - Throws: ``RealmImporter/LastAdministrator`` where there was one before, and would be none afterwards.
    fileprivate func expectAdministrator(_ former: Administered, _ after: AdministeringPeople)
        throws(RealmImporter.LastAdministrator)
    {
        guard realm.name == AdminRights.master, former.hasAdministrator, !after.hasAdministrator
        else { return }
        throw RealmImporter.LastAdministrator(name: realm.name)
    }
}
