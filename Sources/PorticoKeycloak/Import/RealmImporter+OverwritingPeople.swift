import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

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
            while chunk.count < Self.chunk, !isAtEnd {
                guard let user = try reader.next() else {
                    isAtEnd = true
                    continue
                }
                do {
                    try writing.see(user)
                } catch {
                    throw RealmFileError(file: reader.file, reason: error)
                }
                if let read = try await read(user, reader.file, &people, report: &report) {
                    chunk.append(read)
                }
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
