import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The people of files written over realms that are here.
extension RealmImporter {
    /// How often a change is made anew because what is here changed meanwhile.
    static let mostTries = 20

    /// - Returns: How many differ.
    func overwritePeople(
        _ place: RealmPlace,
        _ people: inout PersonImport,
        from new: NewRealm,
        of existing: ExistingRealm,
        _ unsaid: UnsaidRights,
        administering: inout AdministeringPeople,
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
            if isAtEnd {
                for account in try await accounts(people, of: new) {
                    let file = place.file.name
                    if let read = try await read(account, file, &people, report: &report) {
                        chunk.append(read)
                    }
                }
            }
            try place.expectUnchanged()
            let done = try await overwrite(
                of: reader,
                try await withFreeCredentialIDs(
                    try await withKnownIDs(chunk, realmID: existing.realm.id),
                    people.moment.random
                ),
                of: existing,
                unsaid,
                administering: &administering,
                at: moment,
                isDryRun: isDryRun,
                mayWait: waiting.count + chunk.count <= Self.mostWaiting,
                report: &report
            )
            count += done.count
            waiting += done.waiting
        }
        let done = try await overwrite(
            of: reader,
            waiting,
            of: existing,
            unsaid,
            administering: &administering,
            at: moment,
            isDryRun: isDryRun,
            mayWait: false,
            report: &report
        )
        return count + done.count
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

    /// How many people wait for a name that someone else has, who may give it up further on. They are
    /// written in one transaction.
    private static let mostWaiting = 500

    private func overwrite(
        of file: PeopleReader,
        _ chunk: [Read],
        of existing: ExistingRealm,
        _ unsaid: UnsaidRights,
        administering: inout AdministeringPeople,
        at moment: Moment,
        isDryRun: Bool,
        mayWait: Bool,
        report: inout ImportReport
    ) async throws -> (count: Int, waiting: [Read]) {
        for tries in 1... {
            var said = report
            let (changes, waiting) = try await self.changes(
                of: file,
                chunk,
                of: existing,
                unsaid,
                administering: &administering,
                at: moment,
                mayWait: mayWait,
                report: &said
            )
            do {
                if !isDryRun, !changes.isEmpty {
                    try await personStore.overwrite(changes, roleIDs: existing.roleIDs)
                }
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
        of file: PeopleReader,
        _ chunk: [Read],
        of existing: ExistingRealm,
        _ unsaid: UnsaidRights,
        administering: inout AdministeringPeople,
        at moment: Moment,
        mayWait: Bool,
        report: inout ImportReport
    ) async throws -> (changes: [PersonChange], waiting: [Read]) {
        let realmID = existing.realm.id
        let here = try await PeopleHere(
            chunk.map(\.person.person),
            of: file,
            store,
            personStore,
            realmID: realmID
        )
        let said = report
        let (people, places) = try plan(chunk, over: here, existing, unsaid, report: &report)
        var planned = people
        let usernames = planned.map(\.new.person.username)
        let taken = PersonNames.settle(&planned, here.owners, dids: here.dids)
        let left = PersonIdentities.settle(
            &planned,
            try await personStore.owners(
                ofIdentities: planned.flatMap(\.new.identities),
                realmID: realmID
            ),
            without: taken.usernames.filter { planned[$0].former == nil }
        )
        let names = taken.usernames.union(taken.emails).union(taken.dids)
        let refused = Set(names.union(left.keys).map { places[$0] })
        if mayWait, !refused.isEmpty {
            // Without them, so that no one takes what they have until they are written.
            report = said
            let rest = try await self.changes(
                of: file,
                chunk.indices.filter { !refused.contains($0) }.map { chunk[$0] },
                of: existing,
                unsaid,
                administering: &administering,
                at: moment,
                mayWait: true,
                report: &report
            )
            return (rest.changes, refused.sorted().map { chunk[$0] } + rest.waiting)
        }
        var changes: [PersonChange] = []
        for (index, plan) in planned.enumerated() {
            let username = usernames[index]
            for path in plan.refused {
                let words = "\(ImportDifference.refused)"
                report.add(.skipped, "user \(username)", path.text, words)
            }
            if taken.usernames.contains(index) {
                report.add(.skipped, "user \(username)", "\(here.refusal(of: username))")
                if plan.former == nil { continue }
            }
            administering.add(plan.new, to: &report)
            plan.tell(
                username,
                hasEmail: !taken.emails.contains(index),
                hasDID: !taken.dids.contains(index),
                without: left[index] ?? [],
                report: &report
            )
            if let change = plan.change(at: moment.seconds) { changes.append(change) }
        }
        return (changes, [])
    }

    /// Those of a chunk who are not left out, which the report says of the others.
    ///
    /// - Returns: Their places in the chunk, too.
    private func plan(
        _ chunk: [Read],
        over here: PeopleHere,
        _ existing: ExistingRealm,
        _ unsaid: UnsaidRights,
        report: inout ImportReport
    ) throws -> (planned: [PlannedPerson], places: [Int]) {
        let difference = PersonDifference(
            seal: CredentialSeal(ring: realmImport.ring),
            unsaid: unsaid
        )
        var planned: [PlannedPerson] = []
        var places: [Int] = []
        // Those that no one is yet.
        var accounts: Set<String> = []
        for (place, read) in chunk.enumerated() {
            let new = read.person
            if let words = here.refusal(of: new.person, isNoted: existing.isNoted) {
                report.add(.skipped, "user \(new.person.username)", "\(words)")
                continue
            }
            let former = here.kept[new.person.id]
            if former == nil, let client = new.person.serviceClientID,
                !accounts.insert(client).inserted
            {
                let words: StaticString = "the second account of one client"
                report.add(.skipped, "user \(new.person.username)", "\(words)")
                continue
            }
            places.append(place)
            guard let former else {
                let fields = new.imported.flatMap(ImportedFields.init(document:))
                planned.append(PlannedPerson(new: new, fields: fields ?? ImportedFields()))
                continue
            }
            planned.append(try difference(new, holdsPassword: read.holdsPassword, over: former))
        }
        return (planned, places)
    }
}

extension PlannedPerson {
    /// Says what of a person someone else has.
    ///
    /// - Parameter providers: Those at which someone else has their account.
    fileprivate func tell(
        _ username: String,
        hasEmail: Bool,
        hasDID: Bool,
        without providers: [String],
        report: inout ImportReport
    ) {
        let subject = "user \(username)"
        if !hasEmail {
            let words: StaticString =
                former == nil
                ? "another person has the email address: left out"
                : "another person has the email address: it stays as it is here"
            report.add(.changed, subject, "\(words)")
        }
        if !hasDID {
            let words: StaticString =
                former == nil
                ? "another person has the DID: left out"
                : "another person has the DID: it stays as it is here"
            report.add(.changed, subject, "\(words)")
        }
        for provider in providers {
            let path = FieldPath.identity(provider).text
            report.add(.skipped, subject, path, "someone else here has the account")
        }
    }
}
