package import PorticoBytes

/// A mail to be sent: what it says is kept as its kind and values, and written out when it is sent.
package struct MailDraft: Hashable, Sendable {
    package var id: UniqueID
    /// `nil`: the verified address of the account that the event is about; without one, no mail.
    package var to: String?
    package var message: Message
    /// The language's tag.
    package var language: String
    /// Whose mail it is, by the name that people know: a realm's. `nil`: the service's.
    package var service: String?
    package var createdAt: Int64

    package enum Message: Hashable, Sendable {
        /// Six digits, what they do, and for how many minutes they are good. The code is sealed at
        /// rest.
        case confirmationCode(sealedCode: String, use: MailedCodeUse, minutes: Int)
        /// The account has another address now. To the one before.
        case emailChanged
        /// A person signed in from a browser or app that was not seen before.
        case newDevice(device: String, at: Int64, provider: String)
        case wayAdded(provider: String)
        case wayRemoved(provider: String)
        /// An address of a page of the Provider's where a new password is chosen; sealed at rest.
        case passwordReset(sealedAddress: String, minutes: Int)
        /// The address of a page where a person does what an administrator asks, sealed at rest, and
        /// until when it is good, in seconds since 1970.
        case accountActions(sealedAddress: String, until: Int64)
        /// The password of a realm was changed by way of the mailbox.
        case passwordChanged
        /// The same, by the first proof of the account's address: what was set before has ended with the
        /// former password.
        case accountReclaimed
        /// A person wants to register with an address that already has an account in a realm.
        case alreadyRegistered
        /// A person of a realm changed their second factors.
        case secondFactorAdded
        case secondFactorRemoved
        case recoveryCodesMade
        case accountDeleted
    }

    package init(
        id: UniqueID,
        to: String?,
        message: Message,
        language: String,
        service: String? = nil,
        createdAt: Int64
    ) {
        self.id = id
        self.to = to
        self.message = message
        self.language = language
        self.service = service
        self.createdAt = createdAt
    }
}

/// What a mailed code does for the person who types it in: its mail says so, so that no one is
/// talked into giving away a code for something else.
package enum MailedCodeUse: Hashable, Sendable {
    /// Makes the mailbox that of the account which asked.
    case confirmAddress
    /// Signs in to the account that has the mailbox's address, and adds an identity at this
    /// provider, by its configured name, to it.
    case claimAccount(provider: String)
    /// Lets a person with a session of the account change how it is reached, or delete it.
    case confirmItsYou
}

/// A mail in the outbox.
package struct OutboxMail: Hashable, Sendable {
    /// `to` is never `nil` here.
    package var draft: MailDraft
    package var tries: Int
    /// When it is to be tried next; `nil`: it was given up.
    package var dueAt: Int64?
    package var sentAt: Int64?
}
