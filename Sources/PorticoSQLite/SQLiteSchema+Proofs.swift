extension SQLiteSchema {
    /// How it is known whose an address is, and when the person last proved who they are
    /// (docs/decisions/0020).
    ///
    /// `email_proof` is `code`, `authority`, or nothing: then a verified address is vouched for. A
    /// program of the version before leaves nothing there, and so do the addresses of before, but for
    /// those of which an event tells that their code came back; what has no proof is asked for one.
    /// `proven_at` is when a provider asked or a code came back, not when the person signed in.
    static let proofs: StaticString = """
        ALTER TABLE accounts ADD COLUMN email_proof TEXT;
        ALTER TABLE identities ADD COLUMN email_proof TEXT;
        ALTER TABLE account_sessions ADD COLUMN proven_at INTEGER;

        UPDATE accounts SET email_proof = 'code'
        WHERE is_email_verified = 1 AND is_email_relay = 0 AND EXISTS (
            SELECT 1 FROM audit_events AS e
            WHERE e.account_id = accounts.id AND e.kind = 'email.confirmed');
        """
}
