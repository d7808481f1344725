package import PorticoBytes
import PorticoProtocol

/// Keeps what people prove by their mailbox: that an address is theirs, and so, where they do not
/// know their password, that the account is.
package struct PersonMailboxStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps a wish for a new password and queues its mail, to the address as the person has it, who
    /// may sign in. Older unused wishes of that person are gone.
    ///
    /// People who sign in at identity providers only get no password by it.
    ///
    /// Where no one has the address the request is kept all the same, without a mail: it costs one
    /// transaction in either case, and nothing that can be asked later differs (WEB-ENUM-1).
    package func ask(_ reset: PasswordReset, mail: MailDraft) async throws {
        try await database.change { transaction in
            let person = try transaction.first(
                """
                SELECT id, email FROM people
                WHERE realm_id = $1 AND email_key = $2 AND holds_email AND is_enabled
                    AND service_client_id IS NULL
                    AND (password_hash IS NOT NULL OR NOT EXISTS (
                        SELECT 1 FROM identities AS i WHERE i.person_id = people.id))
                """,
                [.text(reset.realmID), .text(LoginName.folded(reset.email))]
            ) { (id: try $0.text(0), address: try $0.text(1)) }
            if let person {
                try transaction.forgetResets(of: person.id)
                try transaction.queue(mail, to: person.address)
            }
            try transaction.insert(reset, of: person?.id)
        }
    }

    /// Keeps that a person must choose a new password now, having just proven the old one. Older
    /// unused wishes of theirs are gone.
    ///
    /// - Parameters:
    ///   - credentials: What the old password was checked against: `.notFound` where it is not
    ///     theirs any more.
    ///   - use: The code of their second factor, spent in the same step: `.codeSpent` where it was
    ///     spent before, and nothing has changed.
    package func demand(
        _ reset: PasswordReset,
        of credentials: PersonCredentials,
        spending use: CredentialUse? = nil
    ) async throws -> PasswordDemand {
        try await database.change { transaction in
            let personID = credentials.person.id
            let isTheirs = try transaction.hasRow(
                "SELECT 1 FROM people WHERE id = $1 AND epoch = $2 AND is_enabled",
                [.text(personID), .int64(credentials.epoch)]
            )
            guard isTheirs else { return .notFound }
            if let use, try !transaction.spendCode(use, of: personID) { return .codeSpent }
            try transaction.forgetResets(of: personID)
            try transaction.insert(reset, of: personID)
            return .changed
        }
    }

    /// The wish of that id, or `nil` where it was replaced or cleared away.
    package func reset(id: UniqueID, realmID: String) async throws -> PasswordResetReading? {
        try await database.read { reader in
            try reader.first(
                Self.byID,
                [.bytes(id.bytes), .text(realmID)],
                decode: PasswordResetReading.init
            )
        }
    }

    /// The wish of the link with that hash.
    package func reset(link: Hash256, realmID: String) async throws -> PasswordResetReading? {
        try await database.read { reader in
            try reader.first(
                Self.byLink,
                [.bytes(link.bytes), .text(realmID)],
                decode: PasswordResetReading.init
            )
        }
    }

    /// Removes wishes that ended before `time` (seconds since 1970).
    package func purgeResets(before time: Int64) async throws {
        try await database.purge(
            before: time,
            """
            SELECT id FROM password_resets
            WHERE id > $1 AND expires_at < $2 ORDER BY id LIMIT 200
            """,
            "DELETE FROM password_resets WHERE id = $1"
        )
    }
}

private enum PasswordResetColumn: Int, SQLColumns {
    case id, realmID, email, linkHash, browserHash, wayBack, expiresAt, usedAt
}

extension PersonMailboxStore {
    private static let byID = withPerson("r.id = $1")
    private static let byLink = withPerson("r.link_hash = $1")

    /// - Parameter found: What names the wish.
    private static func withPerson(_ found: StaticString) -> SQLText {
        """
        SELECT \(PasswordResetColumn.self, of: "r"), \(PersonColumn.self, of: "p")
        FROM password_resets AS r
        LEFT JOIN people AS p ON p.id = r.person_id AND p.realm_id = r.realm_id AND p.is_enabled
        WHERE \(found) AND r.realm_id = $2
        """
    }
}

extension PasswordResetReading {
    /// - Parameter row: The columns of the reset, then those of its person, where there is one.
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: PasswordResetColumn) -> Int { column.rawValue }
        let hasPerson = try row.optionalText(PasswordResetColumn.count) != nil
        self.init(
            reset: PasswordReset(
                id: try row.uniqueID(at(.id)),
                realmID: try row.text(at(.realmID)),
                email: try row.text(at(.email)),
                linkHash: try row.hash(at(.linkHash)),
                browser: try row.hash(at(.browserHash)),
                back: try row.optionalText(at(.wayBack)),
                expiresAt: try row.int64(at(.expiresAt))
            ),
            person: hasPerson ? try Person(row, from: PasswordResetColumn.count) : nil,
            isUsed: try row.optionalInt64(at(.usedAt)) != nil
        )
    }
}

extension SQLTransaction {
    fileprivate func insert(_ reset: PasswordReset, of personID: String?) throws {
        try run(
            """
            INSERT INTO password_resets (id, realm_id, person_id, email, link_hash,
                browser_hash, way_back, expires_at, tries)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
            """,
            [
                .bytes(reset.id.bytes), .text(reset.realmID), SQLValue(personID),
                .text(reset.email), .bytes(reset.linkHash.bytes), .bytes(reset.browser.bytes),
                SQLValue(reset.back), .int64(reset.expiresAt),
            ]
        )
    }

    /// A newer wish takes the place of those that were not used.
    func forgetResets(of personID: String) throws {
        try run(
            "DELETE FROM password_resets WHERE person_id = $1 AND used_at IS NULL",
            [.text(personID)]
        )
    }
}

/// What becomes of a link or a code that comes back.
extension PersonMailboxStore {
    /// Keeps the hash of a code that carries the proof of the link into the browser that asked, in
    /// place of an earlier one. Tries that were lost stay lost. Seconds since 1970.
    ///
    /// `.notFound` where the wish is over.
    package func keepCode(_ hash: Hash256, of id: UniqueID, until end: Int64, at now: Int64)
        async throws -> Change
    {
        try await database.change { transaction in
            try transaction.change(
                """
                UPDATE password_resets SET code_hash = $1, code_expires_at = $2
                WHERE id = $3 AND used_at IS NULL AND expires_at > $4
                """,
                [.bytes(hash.bytes), .int64(end), .bytes(id.bytes), .int64(now)]
            )
        }
    }

    /// Compares a code; a wrong one costs one of five tries, also where there is no code.
    package func presentCode(_ hash: Hash256, of id: UniqueID, at now: Int64) async throws
        -> PasswordResetCode
    {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT code_hash, code_expires_at, tries FROM password_resets
                WHERE id = $1 AND used_at IS NULL AND expires_at > $2 AND tries < $3
                """,
                [.bytes(id.bytes), .int64(now), .int64(PasswordReset.codeTries)]
            ) {
                (
                    hash: try $0.optionalHash(0), end: try $0.optionalInt64(1) ?? 0,
                    tries: try $0.int64(2)
                )
            }
            guard let kept else { return .dead }
            if kept.hash == hash, kept.end > now { return .right }
            try transaction.run(
                "UPDATE password_resets SET tries = tries + 1 WHERE id = $1",
                [.bytes(id.bytes)]
            )
            return kept.tries + 1 < PasswordReset.codeTries ? .wrong : .dead
        }
    }

    /// Sets the password that was wished for, ends every session and grant that there is
    /// (``PersonStore/setPassword(_:of:at:)``), marks the address as verified, because the mailbox
    /// was proven, and queues the notice to the person, all as
    /// ``SQLTransaction/setByMailbox(_:of:notice:at:)`` says. A demanded one proves no mailbox.
    ///
    /// Of any number of concurrent calls exactly one gets `.changed`. `.expired` where the person may
    /// not sign in, or has another address by now.
    package func finish(
        _ id: UniqueID,
        realmID: String,
        password: PasswordHash,
        notice: MailDraft,
        at now: Int64
    ) async throws -> PasswordResetOutcome {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT person_id, email, expires_at, used_at FROM password_resets
                WHERE id = $1 AND realm_id = $2
                """,
                [.bytes(id.bytes), .text(realmID)]
            ) {
                (
                    personID: try $0.optionalText(0), email: try $0.text(1),
                    expiresAt: try $0.int64(2), isUsed: try $0.optionalInt64(3) != nil
                )
            }
            guard let kept else { return .expired }
            guard !kept.isUsed else { return .used }
            let isDemanded = kept.email.isEmpty
            guard kept.expiresAt > now, let personID = kept.personID,
                let owner = try transaction.owner(
                    isDemanded ? nil : kept.email,
                    personID,
                    realmID: realmID
                )
            else { return .expired }
            // Before the password is set, which ends every wish that was not used.
            try transaction.run(
                "UPDATE password_resets SET used_at = $1 WHERE id = $2",
                [.int64(now), .bytes(id.bytes)]
            )
            guard isDemanded else {
                try transaction.setByMailbox(password, of: personID, notice: notice, at: now)
                return .changed
            }
            try transaction.set(password, of: personID, at: now)
            if let address = owner.address { try transaction.queue(notice, to: address) }
            return .changed
        }
    }

    /// Keeps a code that proves a person's address and queues its mail; it replaces an earlier one
    /// of the same owner.
    package func startConfirmation(_ confirmation: EmailConfirmation, mail: MailDraft)
        async throws
    {
        try await database.change { try $0.keep(confirmation, mail) }
    }

    /// Compares a code, or spends one of its five tries; the right one makes the person's address
    /// verified, as long as it is the one that the code was sent to.
    package func confirm(
        _ codeHash: Hash256,
        by owner: Hash256,
        of personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> PersonEmailOutcome {
        try await database.change { transaction in
            switch try transaction.present(codeHash, by: owner, at: now) {
            case .wrong(.wrong(let triesLeft, _)): return .wrong(triesLeft: triesLeft)
            case .wrong(.expired): return .expired
            case .wrong: return .unknown
            case .right(let address):
                guard let person = try transaction.person(id: personID, realmID: realmID),
                    let email = person.email,
                    sameBytes(LoginName.folded(email), LoginName.folded(address))
                else { return .unknown }
                try transaction.prove(person, at: now)
                return .confirmed
            }
        }
    }
}

extension SQLTransaction {
    /// The address as the person has it.
    ///
    /// - Parameter email: What it must still be; `nil`: whatever it is.
    /// - Returns: `nil` where the person may not sign in, or has another address by now.
    fileprivate func owner(_ email: String?, _ personID: String, realmID: String) throws
        -> (address: String?, Void)?
    {
        try first(
            """
            SELECT email FROM people
            WHERE id = $1 AND realm_id = $2 AND ($3 IS NULL OR email_key = $3) AND is_enabled
                AND service_client_id IS NULL
            """,
            [.text(personID), .text(realmID), SQLValue(email.map(LoginName.folded))]
        ) { (try $0.optionalText(0), ()) }
    }
}

/// A person without an account makes one (docs/decisions/0052).
package struct PersonRegistering: Sendable {
    package var person: Person
    package var password: PasswordHash
    /// What every new person of the realm gets; what the realm does not have any more is left out.
    package var roles: [RoleName]
    package var groupIDs: [String]
    /// The code that proves the person's address; `nil` where they gave none.
    package var proof: Proof?

    package struct Proof: Hashable, Sendable {
        package var owner: Hash256
        package var codeHash: Hash256

        package init(owner: Hash256, codeHash: Hash256) {
            self.owner = owner
            self.codeHash = codeHash
        }
    }

    package init(
        person: Person,
        password: PasswordHash,
        roles: [RoleName],
        groupIDs: [String],
        proof: Proof?
    ) {
        self.person = person
        self.password = password
        self.roles = roles
        self.groupIDs = groupIDs
        self.proof = proof
    }
}

package enum PersonRegistered: Hashable, Sendable {
    /// The person as they are kept, and what became of the session that the browser had.
    case began(Person, SessionBeginning)
    case wrong(triesLeft: Int)
    case expired
    /// There is no code, or it was used up, or it was sent to another address.
    case unknown
    /// Someone has the user name or the address. The code is spent.
    case taken
}

extension PersonMailboxStore {
    /// Keeps the code that a new person proves their address with, and queues its mail.
    ///
    /// Where the address is someone's already, they are told that they have an account, and no code
    /// is right. It costs one transaction in either case, and nothing that can be asked later differs
    /// (WEB-ENUM-1).
    ///
    /// - Parameters:
    ///   - nobodys: The hash of a code that no one knows.
    ///   - told: The mail for the person who has the address.
    package func startRegistration(
        _ confirmation: EmailConfirmation,
        nobodys: Hash256,
        realmID: String,
        mail: MailDraft,
        told: MailDraft
    ) async throws {
        try await database.change { transaction in
            let key = LoginName.folded(confirmation.address)
            guard try transaction.isTaken([key], realmID: realmID) else {
                return try transaction.keep(confirmation, mail)
            }
            var dead = confirmation
            dead.codeHash = nobodys
            try transaction.keep(dead, told)
        }
    }

    /// Creates an account and begins its first session, all or nothing: of many calls for one user
    /// name or address exactly one gets `.began`. An address that was proven is verified. Where the
    /// realm comes from Keycloak, the person has its default required actions.
    ///
    /// - Parameters:
    ///   - session: As it is kept then.
    ///   - old: The hash of the cookie that the browser had.
    package func register(
        _ new: PersonRegistering,
        beginning session: PersonSession,
        replacing old: Hash256?,
        at now: Int64
    ) async throws -> PersonRegistered {
        try await database.change { transaction in
            var person = new.person
            if let proof = new.proof {
                switch try transaction.present(proof.codeHash, by: proof.owner, at: now) {
                case .wrong(.wrong(let triesLeft, _)): return .wrong(triesLeft: triesLeft)
                case .wrong(.expired): return .expired
                case .wrong: return .unknown
                case .right(let address):
                    guard let email = person.email, sameBytes(email, address) else {
                        return .unknown
                    }
                    person.mailbox = Mailbox(address: email, verification: .mailedCode)
                    person.updatedAt = now
                }
            }
            let names = [person.username] + (person.email.map { [$0] } ?? [])
            guard try !transaction.isTaken(names.map(LoginName.folded), realmID: person.realmID)
            else { return .taken }
            person.requiredActions = try transaction.defaultActions(realmID: person.realmID)
            let created = try transaction.insert(NewPerson(person: person, password: new.password))
            guard created == .created else { return .taken }
            if new.proof != nil { try transaction.prove(person, at: now) }
            for role in new.roles {
                guard let id = try transaction.roleID(of: role, realmID: person.realmID) else {
                    continue
                }
                try transaction.give(id, to: person.id)
            }
            for groupID in new.groupIDs {
                _ = try transaction.join(groupID, person.id, realmID: person.realmID)
            }
            return .began(person, try transaction.begin(session, replacing: old))
        }
    }
}

extension SQLReader {
    /// Whether someone signs in with one of these names: a user name and an address count alike,
    /// because either is typed into the same field.
    fileprivate func isTaken(_ names: [String], realmID: String) throws -> Bool {
        try names.contains { name in
            try hasRow(
                """
                SELECT 1 FROM people
                WHERE realm_id = $1 AND (username = $2 OR (email_key = $2 AND holds_email))
                """,
                [.text(realmID), .text(name)]
            )
        }
    }

    /// What the realm demands of every new person (Keycloak `requiredActions` with
    /// `defaultAction`).
    func defaultActions(realmID: String) throws -> [String] {
        try rows(
            """
            SELECT id, document FROM realm_parts
            WHERE realm_id = $1 AND kind = 'requiredActions' ORDER BY id
            """,
            [.text(realmID)]
        ) { row -> String? in
            let action = try row.document(1)
            let isDemanded = action.bool("enabled") == true && action.bool("defaultAction") == true
            // Words are kept with blanks between them.
            let alias = try row.text(0)
            return isDemanded && !alias.utf8.contains(UInt8(ascii: " ")) ? alias : nil
        }.compactMap(\.self)
    }
}
