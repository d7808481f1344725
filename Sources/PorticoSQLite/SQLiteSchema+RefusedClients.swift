extension SQLiteSchema {
    /// Events of a realm's clients: which realm, which client, why.
    static let refusedClients: StaticString = """
        ALTER TABLE audit_events ADD COLUMN realm TEXT;
        ALTER TABLE audit_events ADD COLUMN client TEXT;
        ALTER TABLE audit_events ADD COLUMN reason TEXT;
        """
}
