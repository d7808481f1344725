import PorticoProtocol

/// Whom a mailed link is for, and until what it is good besides its time: it dies with a new
/// password, a sign-out everywhere, and another address.
package struct PersonLink: Hashable, Sendable {
    package var realmID: String
    package var personID: String
    /// The address that it was sent to.
    package var email: String
    /// The person's ``PersonCredentials/epoch`` when it was sent.
    package var epoch: Int64
    /// What they are to do (``RequiredAction``).
    package var actions: [String]

    package init(
        realmID: String,
        personID: String,
        email: String,
        epoch: Int64,
        actions: [String]
    ) {
        self.realmID = realmID
        self.personID = personID
        self.email = email
        self.epoch = epoch
        self.actions = actions
    }
}

/// Links that an administrator has mailed.
extension PersonMailboxStore {
    /// Puts a mail in that no other event causes. Without `to` there is none.
    package func send(_ mail: MailDraft) async throws {
        guard let address = mail.to else { return }
        try await database.change { try $0.queue(mail, to: address) }
    }

    /// What has come back by a link: the mailbox is the person's, so their address is verified. A new
    /// password ends every session and grant that there is (``PersonStore/setPassword(_:of:at:)``),
    /// and the link. Actions that are neither of both are demanded at the next sign-in.
    ///
    /// `.notFound` where the link is dead, or the person may not sign in. Of any number of concurrent
    /// calls with a password exactly one gets `.changed`.
    ///
    /// - Parameter notice: The mail that tells of a new password.
    package func follow(
        _ link: PersonLink,
        password: PasswordHash?,
        notice: MailDraft,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT email, required_actions FROM people
                WHERE id = $1 AND realm_id = $2 AND email_key = $3 AND epoch = $4 AND is_enabled
                    AND service_client_id IS NULL
                """,
                [
                    .text(link.personID), .text(link.realmID),
                    .text(LoginName.folded(link.email)), .int64(link.epoch),
                ]
            ) { (address: try $0.text(0), actions: try $0.words(1)) }
            guard let kept else { return .notFound }
            if let password {
                try transaction.set(password, of: link.personID, at: now)
                try transaction.queue(notice, to: kept.address)
            }
            var actions = kept.actions.filter { $0 != RequiredAction.verifyEmail }
            if password != nil { actions.removeAll { $0 == RequiredAction.updatePassword } }
            let done = [RequiredAction.verifyEmail, RequiredAction.updatePassword]
            actions += link.actions.filter { !done.contains($0) && !actions.contains($0) }
            try transaction.run(
                """
                UPDATE people SET is_email_verified = $1, required_actions = $2, updated_at = $3
                WHERE id = $4
                """,
                [
                    .bool(true), SQLValue(words: actions), .int64(now), .text(link.personID),
                ]
            )
            return .changed
        }
    }
}
