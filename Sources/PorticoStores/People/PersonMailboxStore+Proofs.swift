package import PorticoBytes

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
            let changed = try transaction.run(
                """
                UPDATE password_resets SET code_hash = $1, code_expires_at = $2
                WHERE id = $3 AND used_at IS NULL AND expires_at > $4
                """,
                [.bytes(hash.bytes), .int64(end), .bytes(id.bytes), .int64(now)]
            )
            return changed > 0 ? .changed : .notFound
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
                let changed = try transaction.run(
                    """
                    UPDATE people SET is_email_verified = $1, updated_at = $2
                    WHERE id = $3 AND realm_id = $4 AND email_key = $5
                    """,
                    [
                        .bool(true), .int64(now), .text(personID), .text(realmID),
                        .text(LoginName.folded(address)),
                    ]
                )
                return changed > 0 ? .confirmed : .unknown
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
