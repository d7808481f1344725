extension SQLiteSchema {
    /// Which login token a grant came from: one grant for each (RFC 8693 §2.1). Nearly no grant came
    /// from one, so the index is partial, and other sign-ins do not write it.
    static let loginTokens: StaticString = """
        ALTER TABLE grants ADD COLUMN login_token_id BLOB;
        CREATE UNIQUE INDEX grants_by_login_token ON grants (login_token_id)
            WHERE login_token_id IS NOT NULL;
        """
}
