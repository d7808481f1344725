extension SQLiteSchema {
    /// What a grant is bound to.
    ///
    /// - `dpop_jkt`: the thumbprint of the key that its refresh tokens need a proof of (RFC 9449
    ///   §5), then the first generation that does, if that is not the first of all.
    /// - `client_key`: the key that its client must authenticate with, as at first.
    static let boundGrants: StaticString = """
        ALTER TABLE grants ADD COLUMN dpop_jkt TEXT;
        ALTER TABLE grants ADD COLUMN client_key TEXT;
        ALTER TABLE grants ADD COLUMN has_own_times INTEGER NOT NULL DEFAULT 0;
        """
}
