import PorticoProtocol

/// What people, and operators for them, change about second factors.
extension PersonStore {
    package enum Enrolment: Hashable, Sendable {
        /// Also where it was before.
        case added
        /// The person has as many apps as anyone may have, or is gone.
        case refused
    }

    /// How many apps a person may have.
    private static let mostApps: Int64 = 10

    /// Keeps a second factor that a person has just set up, and queues the notice. New recovery codes
    /// take the place of those there were. With an app, one is not demanded any more.
    package func enrol(
        _ credential: Credential,
        realmID: String,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> Enrolment {
        try await database.change { transaction in
            guard try transaction.hasPerson(credential.personID, realmID: realmID) else {
                return .refused
            }
            let isKept = try transaction.hasRow(
                "SELECT 1 FROM credentials WHERE id = $1 AND person_id = $2",
                [.text(credential.id), .text(credential.personID)]
            )
            guard !isKept else { return .added }
            switch credential.kind {
            case .totp:
                let hasRoom = try transaction.hasRow(
                    """
                    SELECT 1 WHERE (
                        SELECT COUNT(*) FROM credentials
                        WHERE person_id = $1 AND kind = 'totp') < $2
                    """,
                    [.text(credential.personID), .int64(Self.mostApps)]
                )
                guard hasRoom else { return .refused }
                try transaction.run(
                    """
                    UPDATE people SET updated_at = $1, required_actions = TRIM(
                        REPLACE(' ' || required_actions || ' ', ' CONFIGURE_TOTP ', ' '))
                    WHERE id = $2
                    """,
                    [.int64(now), .text(credential.personID)]
                )
            case .recoveryCodes:
                try transaction.removeRecoveryCodes(of: credential.personID)
            case .other: break
            }
            try transaction.insert(credential)
            if let notice, let address = notice.to { try transaction.queue(notice, to: address) }
            return .added
        }
    }

    /// Takes one second factor from a person, and queues the notice. With the last app the recovery
    /// codes go, too.
    package func removeSecondFactor(
        id: String,
        of personID: String,
        realmID: String,
        notice: MailDraft?
    ) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID) else { return .notFound }
            let removed = try transaction.run(
                "DELETE FROM credentials WHERE id = $1 AND person_id = $2 AND kind <> 'other'",
                [.text(id), .text(personID)]
            )
            guard removed > 0 else { return .notFound }
            let hasApp = try transaction.hasRow(
                "SELECT 1 FROM credentials WHERE person_id = $1 AND kind = 'totp'",
                [.text(personID)]
            )
            if !hasApp { try transaction.removeRecoveryCodes(of: personID) }
            if let notice, let address = notice.to { try transaction.queue(notice, to: address) }
            return .changed
        }
    }

    /// Takes all second factors from a person; what is kept for an export only stays.
    package func removeSecondFactors(of personID: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run(
                "DELETE FROM credentials WHERE person_id = $1 AND kind <> 'other'",
                [.text(personID)]
            )
            return changed > 0 ? .changed : .notFound
        }
    }
}

extension SQLTransaction {
    fileprivate func removeRecoveryCodes(of personID: String) throws {
        try run(
            "DELETE FROM credentials WHERE person_id = $1 AND kind = 'recovery-codes'",
            [.text(personID)]
        )
    }
}
