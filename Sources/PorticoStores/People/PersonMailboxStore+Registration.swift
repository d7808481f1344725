package import PorticoBytes
import PorticoProtocol

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
        beginning session: BrowserSession,
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
                    person.isEmailVerified = true
                }
            }
            let names = [person.username] + (person.email.map { [$0] } ?? [])
            guard try !transaction.isTaken(names.map(LoginName.folded), realmID: person.realmID)
            else { return .taken }
            person.requiredActions = try transaction.defaultActions(realmID: person.realmID)
            let created = try transaction.insert(NewPerson(person: person, password: new.password))
            guard created == .created else { return .taken }
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
                "SELECT 1 FROM people WHERE realm_id = $1 AND (username = $2 OR email_key = $2)",
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
