extension SQLiteSchema {
    /// Which login token a grant came from: one grant for each (RFC 8693 §2.1). Nearly no grant came
    /// from one, so the index is partial, and other sign-ins do not write it.
    static let loginTokens: StaticString = """
        ALTER TABLE grants ADD COLUMN login_token_id BLOB;
        CREATE UNIQUE INDEX grants_by_login_token ON grants (login_token_id)
            WHERE login_token_id IS NOT NULL;
        """

    /// The grant that another app's grant was derived from, which ends with it (RFC 8693 §2.1).
    static let derivedGrants: StaticString = """
        ALTER TABLE grants ADD COLUMN parent_id BLOB;
        CREATE INDEX grants_by_parent ON grants (parent_id) WHERE parent_id IS NOT NULL;
        """
}
