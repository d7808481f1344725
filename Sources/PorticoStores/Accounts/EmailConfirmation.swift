package import PorticoBytes

/// A code on its way to a mailbox (10 minutes, five tries).
package struct EmailConfirmation: Hashable, Sendable {
    /// What the code is asked for: an account's new address, or an unknown person's claim to an
    /// account. One code at a time.
    package var owner: Hash256
    package var address: String
    /// A keyed hash: six digits alone would be found by trying (docs/decisions/0038).
    package var codeHash: Hash256
    package var expiresAt: Int64

    package init(owner: Hash256, address: String, codeHash: Hash256, expiresAt: Int64) {
        self.owner = owner
        self.address = address
        self.codeHash = codeHash
        self.expiresAt = expiresAt
    }
}

package struct EmailCodePresentation: Hashable, Sendable {
    package var owner: Hash256
    package var codeHash: Hash256
    package var then: Purpose

    package init(owner: Hash256, codeHash: Hash256, then: Purpose) {
        self.owner = owner
        self.codeHash = codeHash
        self.then = then
    }

    /// What the right code does, in the same transaction.
    package enum Purpose: Hashable, Sendable {
        /// The address becomes the account's, proven; other accounts that have it without proof
        /// lose it. A verified one that it takes the place of is told, by the mail of that id.
        case setEmail(personID: String, noticeID: UniqueID)
        /// The mailbox proves that an account is this person's, as long as the account has that
        /// address: the identity is linked to it and a session begins, proven now. Where the address
        /// was not proven (``EmailVerification/isProof``), another person may have registered the
        /// account: its sessions end and its other identities go (docs/decisions/0020).
        case claim(personID: String, SignInEvent)
        /// The mailbox of its account's address proves that the person who has a session is the
        /// account's (WEB-SESS-8), as long as the account has that address, which is proven by it,
        /// too. A browser's session has this cookie from now on (WEB-SESS-1).
        case prove(sessionID: String, cookieHash: Hash256?)
    }
}

package enum EmailConfirmationOutcome: Hashable, Sendable {
    /// The person as they are now.
    case confirmed(Person)
    /// The address that the code was sent to.
    case wrong(triesLeft: Int, address: String)
    case expired
    /// There is no code, or it was used up; or the account is gone, or claimed by an address that
    /// it does not have any more.
    case unknown
    /// Another account has the address, verified meanwhile.
    case taken
    /// The identity of the claim is another account's by now, or its attempt was spent.
    case spent
    /// The account that is claimed is blocked.
    case blocked
    /// The account that is claimed has another identity at that provider.
    case secondOfProvider
}
