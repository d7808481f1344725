import PorticoBytes

/// The keys that we prove ourselves by at hosts.
extension BackendConfigurationStore {
    /// Puts in a new key. Those before it are retired from when it is used. ``StoreConflict`` where
    /// another has its id.
    package func add(_ key: HandleClientKey) async throws {
        try await database.change { transaction in
            try transaction.run(
                "UPDATE handle_client_keys SET retired_at = $1 WHERE retired_at IS NULL",
                [.int64(key.activeFrom)]
            )
            try transaction.run(Statement.insert, key.values)
            try transaction.note(Event(.handleKeyAdded, key: key.keyID, at: key.createdAt))
            try transaction.raiseBackendVersion()
        }
    }

    /// From now on no one may use that key. Doing it twice changes nothing.
    package func withdrawHandleKey(_ keyID: String, at now: Int64) async throws -> Change {
        try await database.change { transaction in
            let kept = try transaction.first(
                "SELECT withdrawn_at IS NOT NULL FROM handle_client_keys WHERE key_id = $1",
                [.text(keyID)]
            ) { try $0.bool(0) }
            guard let isWithdrawn = kept else { return .notFound }
            guard !isWithdrawn else { return .changed }
            try transaction.run(
                "UPDATE handle_client_keys SET withdrawn_at = $1 WHERE key_id = $2",
                [.int64(now), .text(keyID)]
            )
            try transaction.note(Event(.handleKeyWithdrawn, key: keyID, at: now))
            try transaction.raiseBackendVersion()
            return .changed
        }
    }
}

extension HandleSessionStore {
    /// How many sessions have tokens that each key is needed for; no key without any.
    package func sessionsByKey() async throws -> [String: Int64] {
        let counts = try await database.scan { reader in
            try reader.rows(
                """
                SELECT client_key_id, COUNT(*) FROM handle_sessions
                WHERE client_key_id IS NOT NULL AND sealed IS NOT NULL GROUP BY client_key_id
                """,
                []
            ) { (try $0.text(0), try $0.int64(1)) }
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }
}

extension SQLReader {
    func handleKeys() throws -> [HandleClientKey] {
        try rows(Statement.keys, [], decode: HandleClientKey.init)
    }
}

private enum HandleClientKeyColumn: Int, SQLColumns {
    case keyID, algorithm, sealedPrivateKey, createdAt, activeFrom, retiredAt, withdrawnAt
}

extension HandleClientKey {
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: HandleClientKeyColumn) -> Int { column.rawValue }
        self.init(
            keyID: try row.text(at(.keyID)),
            algorithm: try row.text(at(.algorithm)),
            sealedPrivateKey: try row.text(at(.sealedPrivateKey)),
            createdAt: try row.int64(at(.createdAt)),
            activeFrom: try row.int64(at(.activeFrom)),
            retiredAt: try row.optionalInt64(at(.retiredAt)),
            withdrawnAt: try row.optionalInt64(at(.withdrawnAt))
        )
    }

    fileprivate var values: [SQLValue] {
        [
            .text(keyID), .text(algorithm), .text(sealedPrivateKey), .int64(createdAt),
            .int64(activeFrom), SQLValue(retiredAt), SQLValue(withdrawnAt),
        ]
    }
}

extension Event {
    fileprivate init(_ kind: Kind, key keyID: String, at now: Int64) {
        self.init(kind, at: Self.milliseconds(now))
        reason = keyID
    }
}

private enum Statement {
    static let insert: SQLText = """
        INSERT INTO handle_client_keys (\(HandleClientKeyColumn.self))
        VALUES (\(valuesOf: HandleClientKeyColumn.self))
        """

    static let keys: SQLText = """
        SELECT \(HandleClientKeyColumn.self) FROM handle_client_keys
        ORDER BY active_from DESC, key_id
        """
}
