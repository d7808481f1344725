package import PorticoBytes

/// Somebody's wish for a new password, from the form that asks for it until the link in the mail has
/// come back (WEB-PW-7).
package struct PasswordReset: Hashable, Sendable {
    package var id: UniqueID
    package var realmID: String
    /// The address that was typed.
    package var email: String
    /// The SHA-256 of the link's 256 random bits.
    package var linkHash: Hash256
    /// The SHA-256 of a cookie: the browser that asked.
    package var browser: Hash256
    /// The sealed authorization request that the person came from.
    package var wayBack: String?
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(
        id: UniqueID,
        realmID: String,
        email: String,
        linkHash: Hash256,
        browser: Hash256,
        wayBack: String?,
        expiresAt: Int64
    ) {
        self.id = id
        self.realmID = realmID
        self.email = email
        self.linkHash = linkHash
        self.browser = browser
        self.wayBack = wayBack
        self.expiresAt = expiresAt
    }

    /// How many codes from another browser may be presented until one is right.
    package static let codeTries: Int64 = 5
}

/// A wish for a new password as it stands now.
package struct PasswordResetReading: Hashable, Sendable {
    package var reset: PasswordReset
    /// Whose password it is; `nil` where nobody who may sign in has that address.
    package var person: Person?
    package var isUsed: Bool

    package init(reset: PasswordReset, person: Person?, isUsed: Bool) {
        self.reset = reset
        self.person = person
        self.isUsed = isUsed
    }
}

package enum PasswordResetCode: Hashable, Sendable {
    case right
    /// Another one, one that is too old, or there is none.
    case wrong
    /// The tries are used up, or the wish is over.
    case dead
}

package enum PasswordResetOutcome: Hashable, Sendable {
    case changed
    case used
    /// Too late, replaced by a newer one, or the address is nobody's any more.
    case expired
}

package enum PersonEmailOutcome: Hashable, Sendable {
    case confirmed
    case wrong(triesLeft: Int)
    case expired
    /// There is no code, or it was used up; or the address is not the person's any more.
    case unknown
}

/// Keeps what people prove by their mailbox: that an address is theirs, and so, where they do not
/// know their password, that the account is.
package protocol PersonMailboxStore: Sendable {
    /// Keeps a wish for a new password and queues its mail, to the address as the person has it, who
    /// may sign in. Older unused wishes of that person are gone.
    ///
    /// Where nobody has the address the wish is kept all the same, without a mail: it costs one
    /// transaction in either case, and nothing that can be asked later differs (WEB-ENUM-1).
    func ask(_ reset: PasswordReset, mail: MailDraft) async throws

    /// The wish of that id, or `nil` where it was replaced or cleared away.
    func reset(id: UniqueID, realmID: String) async throws -> PasswordResetReading?

    /// The wish of the link with that hash.
    func reset(link: Hash256, realmID: String) async throws -> PasswordResetReading?

    /// Keeps the hash of a code that carries the proof of the link into the browser that asked, in
    /// place of an earlier one. Tries that were lost stay lost. Seconds since 1970.
    ///
    /// `.notFound` where the wish is over.
    func keepCode(_ hash: Hash256, of id: UniqueID, until end: Int64, at now: Int64) async throws
        -> Change

    /// Compares a code; a wrong one costs one of five tries, also where there is no code.
    func presentCode(_ hash: Hash256, of id: UniqueID, at now: Int64) async throws
        -> PasswordResetCode

    /// Sets the password that was wished for, ends every session and grant that there is
    /// (``PersonStore/setPassword(_:of:at:)``), marks the address as verified, because the mailbox
    /// was proven, and queues the notice to the person.
    ///
    /// Of any number of concurrent calls exactly one gets `.changed`. `.expired` where the person may
    /// not sign in, or has another address by now.
    func finish(
        _ id: UniqueID,
        realmID: String,
        password: PasswordHash,
        notice: MailDraft,
        at now: Int64
    ) async throws -> PasswordResetOutcome

    /// Keeps a code that proves a person's address and queues its mail; it replaces an earlier one
    /// of the same owner.
    func startConfirmation(_ confirmation: EmailConfirmation, mail: MailDraft) async throws

    /// Compares a code, or spends one of its five tries; the right one makes the person's address
    /// verified, as long as it is the one that the code was sent to.
    func confirm(
        _ codeHash: Hash256,
        by owner: Hash256,
        of personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> PersonEmailOutcome

    /// Removes wishes that ended before `time` (seconds since 1970).
    func purgeResets(before time: Int64) async throws
}
