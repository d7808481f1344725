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
        var (said, _, imported, changes) = try changes(
            by: place,
            to: existing,
            after: preview,
            at: moment,
            report: &report
        )
        let known = existing.thingIDs
        if let subject = try await store.subjectWithUsedID(in: imported.realm, but: known) {
            throw RealmFileError(file: place.file.name, reason: .idTaken(path: subject))
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
        if conflict.writesOver {
            place.reportMissingPeople(said, report: &report)
        }
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

    /// What of a file differs from a realm that is here, and what that has besides.
    ///
    /// - Parameter preview: What was shown; `nil`: this shows it.
    func changes(
        by place: RealmPlace,
        to existing: ExistingRealm,
        after preview: Preview? = nil,
        at moment: Moment,
        report: inout ImportReport
    ) throws -> (
        said: Representation, file: FileThings, imported: RealmImport.Imported,
        changes: RealmChanges
    ) {
        let said = try place.said()
        let file = FileThings(said.object, over: existing, report: &report)
        let imported: RealmImport.Imported
        do {
            let filled = existing.filling(file.object)
            imported = try realmImport(
                try Representation(.object(file.object), path: said.path)
                    .completed(named: place.name, isNew: false),
                over: existing,
                filled: try Representation(.object(filled), path: said.path),
                at: moment,
                report: &report
            )
        } catch let error as RealmImportError {
            throw RealmFileError(file: place.file.name, reason: error)
        }
        let difference = ImportDifference(
            existing: existing,
            file: file,
            conflict: conflict,
            ring: realmImport.ring,
            random: moment.random
        )
        var changes = try difference(imported, report: &report)
        if conflict.writesOver {
            let named = preview?.deletions
            difference.addMissing(imported, named: named, to: &changes, &report)
        }
        return (said, file, imported, changes)
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

/// What is known while the people of a file are written over those of a realm.
struct PeopleWriting {
    let existing: ExistingRealm
    /// What was shown; `nil`: this shows it, and writes nothing.
    let preview: RealmImporter.Preview?
    var administering: AdministeringPeople
    let moment: Moment
    /// Everyone in the file, and who has what they would get.
    var seen = SeenTexts()
    /// The states of people who are deleted.
    var doomed: Set<Hash256> = []
    /// Administrators of realm `master`, written last: others are made before they are changed.
    var later: [NewPerson]? = []

    var isDryRun: Bool { preview == nil }
    var role: LastingRole? { existing.lastingRole(at: moment) }

    init(
        existing: ExistingRealm,
        preview: RealmImporter.Preview?,
        administering: AdministeringPeople,
        moment: Moment
    ) {
        self.existing = existing
        self.preview = preview
        self.administering = administering
        self.moment = moment
    }

    /// Someone in the file, be they left out later: their id may be spelled otherwise here.
    mutating func see(_ user: Representation) throws(RealmImportError) {
        guard let username = try user.text("username") else { return }
        let realmID = existing.realm.id
        let id = KnownPeople.id(try user.text("id"), username: username, realmID: realmID)
        for text in [id, ImportedIDs.key(id), Self.name(username)] { _ = seen.insert(text) }
    }

    func hasSeen(_ person: Person) -> Bool {
        seen.contains(person.id) || seen.contains(Self.name(person.username))
    }

    /// No id has a space.
    private static func name(_ username: String) -> String {
        "username " + LoginName.folded(username)
    }
}

/// The people of files written over realms that are here.
extension RealmImporter {
    /// - Returns: How many differ.
    func overwritePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
        from new: NewRealm,
        _ writing: inout PeopleWriting,
        report: inout ImportReport
    ) async throws -> Int {
        var reader = PeopleReader(place.people)
        var count = 0
        var isAtEnd = false
        while !isAtEnd {
            var chunk: [Read] = []
            isAtEnd = try await next(&chunk, from: &reader, &people, report: &report) {
                user throws(RealmImportError) in try writing.see(user)
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
            let free = try await withFreeCredentialIDs(chunk, people.moment.random)
            count += try await overwrite(free.map(\.person), &writing, report: &report)
        }
        var rest = (writing.later ?? [])[...]
        writing.later = nil
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(Self.chunk))
            rest = rest.dropFirst(Self.chunk)
            count += try await overwrite(chunk, &writing, report: &report)
        }
        guard conflict.writesOver, !place.people.isEmpty else { return count }
        return count + (try await prune(&writing, report: &report))
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
        _ writing: inout PeopleWriting,
        report: inout ImportReport
    ) async throws -> Int {
        let existing = writing.existing
        for tries in 1... {
            // Not those who were seen, of whom there may be many.
            var (said, after, later) = (report, writing.administering, writing.later)
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
                if later != nil, writing.role != nil,
                    let former = here.kept[here.id(of: person.person)], after.isWhole(former)
                {
                    later?.append(person)
                    continue
                }
                let moment = writing.moment
                let change = try difference(person, at: moment, seen: &writing.seen, report: &said)
                guard let change else { continue }
                after.add(change.person, at: moment.seconds, to: &said)
                if change.differs { changes.append(change) }
            }
            do {
                if !writing.isDryRun, !changes.isEmpty {
                    try await personStore.overwrite(
                        changes,
                        ofRealm: existing.realm.id,
                        roleIDs: existing.roleIDs,
                        keeping: writing.role
                    )
                }
            } catch
                where tries < Self.mostTries
                && (error is ChangedMeanwhile || error is StoreConflict)
            {
                continue
            }
            (report, writing.administering, writing.later) = (said, after, later)
            return changes.count
        }
        return 0
    }

    /// The people who are here and not in the file, who were shown and have not changed since. In realm
    /// `master`, none who administers is deleted.
    private func prune(_ writing: inout PeopleWriting, report: inout ImportReport) async throws
        -> Int
    {
        let realmID = writing.existing.realm.id
        var (count, cursor): (Int, String?) = (0, nil)
        while true {
            let page = try await personStore.people(
                realmID: realmID,
                after: cursor,
                limit: Self.chunk
            )
            let missing = page.filter { !writing.hasSeen($0) }
            guard conflict.prunesPeople else {
                for person in missing {
                    let words: StaticString =
                        "not in the file: --people overwrite --prune deletes them"
                    report.add(.stays, "user \(person.username)", "\(words)")
                }
                guard page.count == Self.chunk, let last = page.last else { return count }
                cursor = last.username
                continue
            }
            // First, so that what follows is of these states, or nothing is deleted.
            let states = try await personStore.states(of: missing.map(\.id), realmID: realmID)
            for person in missing {
                guard let state = states[person.id] else { continue }
                if try await prune(person, state, &writing, report: &report) { count += 1 }
            }
            guard page.count == Self.chunk, let last = page.last else { return count }
            cursor = last.username
        }
    }

    /// - Returns: Whether they are deleted.
    private func prune(
        _ person: Person,
        _ state: Hash256,
        _ writing: inout PeopleWriting,
        report: inout ImportReport
    ) async throws -> Bool {
        let (subject, realmID) = ("user \(person.username)", person.realmID)
        if writing.existing.realm.name == AdminRights.master,
            let kept = try await personStore.person(id: person.id, realmID: realmID),
            writing.administering.isAdministering(kept)
        {
            let words: StaticString =
                "not in the file, and administers this server: delete them by command"
            report.add(.stays, subject, "\(words)")
            return false
        }
        if let preview = writing.preview {
            var isDeleted = preview.people.contains(state)
            if isDeleted {
                isDeleted = try await personStore.deletePerson(
                    id: person.id,
                    realmID: realmID,
                    in: state,
                    keeping: writing.role
                )
            }
            guard isDeleted else {
                report.add(.stays, subject, "\(ImportDifference.came)")
                return false
            }
        }
        writing.doomed.insert(state)
        report.add(.deleted, subject, "not in the file")
        writing.administering.forget(person.id)
        return true
    }
}
