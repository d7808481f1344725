import PorticoBytes
import PorticoProtocol

/// What people, and operators for them, change about second factors.
extension PersonStore {
    package enum Enrolment: Hashable, Sendable {
        /// Also where it was before. With the number of other sessions that have ended.
        case added(ended: Int)
        /// The person has as many apps as anyone may have, or is gone.
        case refused
        /// The session does not prove the person now (``BrowserSessionStore/Proof``).
        case unproven
    }

    package enum FactorRemoval: Hashable, Sendable {
        case removed
        case notFound
        case unproven
    }

    /// How many apps a person may have.
    private static let mostApps: Int64 = 10

    /// Keeps a second factor that a person has just set up in a session, and queues the notice. New
    /// recovery codes take the place of those there were.
    ///
    /// With an app, one is not demanded any more; the session counts as one with a code, because the
    /// person has just typed one; and wishes for another password that the password alone proved are
    /// gone.
    ///
    /// - Parameter endsOthers: Whether the person's other sessions end
    ///   (``BrowserSessionStore/endAll(of:except:realmID:at:)``).
    package func enrol(
        _ credential: Credential,
        in session: BrowserSession,
        endingOthers endsOthers: Bool,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> Enrolment {
        try await database.change { transaction in
            let personID = session.personID
            guard sameBytes(credential.personID, personID),
                try transaction.proves(session, .now, at: now)
            else { return .unproven }
            let isKept = try transaction.hasRow(
                "SELECT 1 FROM credentials WHERE id = $1 AND person_id = $2",
                [.text(credential.id), .text(personID)]
            )
            guard !isKept else { return .added(ended: 0) }
            switch credential.kind {
            case .totp:
                guard try transaction.hasRoom(forAppOf: personID, most: Self.mostApps) else {
                    return .refused
                }
                try transaction.startWithApp(session, at: now)
            case .recoveryCodes: try transaction.removeRecoveryCodes(of: personID)
            case .other: break
            }
            try transaction.insert(credential)
            if let notice, let address = notice.to { try transaction.queue(notice, to: address) }
            guard endsOthers else { return .added(ended: 0) }
            return .added(
                ended: try transaction.endSessions(
                    of: personID,
                    except: session.id,
                    realmID: session.realmID,
                    at: now
                )
            )
        }
    }

    /// Takes one second factor from a person who is signed in by that session, and queues the notice.
    /// With the last app the recovery codes go, too.
    package func removeSecondFactor(
        id: String,
        in session: BrowserSession,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> FactorRemoval {
        try await database.change { transaction in
            let personID = session.personID
            guard try transaction.proves(session, .now, at: now) else { return .unproven }
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
            return .removed
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
    fileprivate func hasRoom(forAppOf personID: String, most: Int64) throws -> Bool {
        try hasRow(
            """
            SELECT 1 WHERE (
                SELECT COUNT(*) FROM credentials
                WHERE person_id = $1 AND kind = 'totp') < $2
            """,
            [.text(personID), .int64(most)]
        )
    }

    /// What changes with an app, besides that the person has it.
    fileprivate func startWithApp(_ session: BrowserSession, at now: Int64) throws {
        try run(
            """
            UPDATE people SET updated_at = $1, required_actions = TRIM(
                REPLACE(' ' || required_actions || ' ', ' CONFIGURE_TOTP ', ' '))
            WHERE id = $2
            """,
            [.int64(now), .text(session.personID)]
        )
        try run(
            """
            UPDATE browser_sessions SET amr = TRIM(amr || ' otp')
            WHERE id = $1 AND realm_id = $2 AND ' ' || amr || ' ' NOT LIKE '% otp %'
            """,
            [.text(session.id), .text(session.realmID)]
        )
        // A demanded one: no mailbox has proven it.
        try run(
            """
            DELETE FROM password_resets
            WHERE person_id = $1 AND used_at IS NULL AND email = ''
            """,
            [.text(session.personID)]
        )
    }

    fileprivate func removeRecoveryCodes(of personID: String) throws {
        try run(
            "DELETE FROM credentials WHERE person_id = $1 AND kind = 'recovery-codes'",
            [.text(personID)]
        )
    }
}
