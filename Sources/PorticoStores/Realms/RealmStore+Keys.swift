import PorticoProtocol

/// The keys of realms.
extension RealmStore {
    /// Adds keys and changes when others are used and retired, in one step: a rotation is seen
    /// whole or not at all.
    package func rotate(adding: [SigningKeyRecord], changing: [SigningKeyRecord]) async throws {
        try await database.change { transaction in
            for key in adding { try transaction.insert(key) }
            for key in changing { try transaction.update(key) }
            for id in Set((adding + changing).map(\.realmID)).sorted() {
                try transaction.noteChange(ofRealm: id)
            }
        }
    }

    /// Removes keys that were retired before `time` (seconds since 1970).
    package func removeKeys(retiredBefore time: Int64) async throws {
        try await database.change { transaction in
            let realmIDs = try transaction.rows(
                "DELETE FROM signing_keys WHERE retired_from < $1 RETURNING realm_id",
                [.int64(time)]
            ) { try $0.text(0) }
            for id in Set(realmIDs).sorted() { try transaction.noteChange(ofRealm: id) }
        }
    }
}

extension SQLReader {
    func keys(realmID: String) throws -> [SigningKeyRecord] {
        try rows(
            """
            SELECT realm_id, key_id, algorithm, sealed_private_key, created_at, active_from,
                retired_from, priority, certificate, component
            FROM signing_keys WHERE realm_id = $1 ORDER BY active_from, key_id
            """,
            [.text(realmID)]
        ) { row in
            guard let algorithm = SignatureAlgorithm(rawValue: try row.text(2)) else {
                throw SQLDecodingError.outOfRange(column: 2)
            }
            var key = SigningKeyRecord(
                realmID: try row.text(0),
                keyID: try row.text(1),
                algorithm: algorithm,
                sealedPrivateKey: try row.text(3),
                createdAt: try row.int64(4),
                activeFrom: try row.int64(5),
                retiredFrom: try row.optionalInt64(6)
            )
            key.priority = try row.int64(7)
            key.certificate = try row.optionalText(8)
            if try row.optionalText(9) != nil { key.component = try row.document(9) }
            return key
        }
    }

    func keptKeys(realmID: String) throws -> [KeptKey] {
        try rows(
            """
            SELECT realm_id, key_id, kind, algorithm, sealed, public_jwk, priority, component
            FROM kept_keys WHERE realm_id = $1 ORDER BY key_id
            """,
            [.text(realmID)]
        ) { row in
            // A kind of a newer program: it signs nothing, so nothing is lost without it.
            guard let kind = KeptKey.Kind(rawValue: try row.text(2)) else { return nil }
            return KeptKey(
                realmID: try row.text(0),
                keyID: try row.text(1),
                kind: kind,
                algorithm: try row.text(3),
                sealed: try row.optionalText(4),
                publicJWK: try row.optionalText(5) == nil ? nil : try row.document(5),
                priority: try row.int64(6),
                component: try row.document(7)
            )
        }.compactMap(\.self)
    }
}

extension SQLTransaction {
    func insert(_ key: SigningKeyRecord) throws {
        try run(
            """
            INSERT INTO signing_keys (realm_id, key_id, algorithm, sealed_private_key, created_at,
                active_from, retired_from, priority, certificate, component)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .text(key.realmID), .text(key.keyID), .text(key.algorithm.rawValue),
                .text(key.sealedPrivateKey), .int64(key.createdAt), .int64(key.activeFrom),
                SQLValue(key.retiredFrom), .int64(key.priority), SQLValue(key.certificate),
                key.component.map(SQLValue.init) ?? .null,
            ]
        )
    }

    func insert(_ key: KeptKey) throws {
        try run(
            """
            INSERT INTO kept_keys (realm_id, key_id, kind, algorithm, sealed, public_jwk, priority,
                component)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .text(key.realmID), .text(key.keyID), .text(key.kind.rawValue),
                .text(key.algorithm), SQLValue(key.sealed),
                key.publicJWK.map(SQLValue.init) ?? .null, .int64(key.priority),
                SQLValue(key.component),
            ]
        )
    }

    fileprivate func update(_ key: SigningKeyRecord) throws {
        let changed = try run(
            """
            UPDATE signing_keys SET active_from = $1, retired_from = $2
            WHERE realm_id = $3 AND key_id = $4
            """,
            [
                .int64(key.activeFrom), SQLValue(key.retiredFrom), .text(key.realmID),
                .text(key.keyID),
            ]
        )
        guard changed > 0 else { throw MissingReference() }
    }
}

extension RealmStore {
    /// Ends the swaps that close at `now` (seconds since 1970) or closed before, and forgets the keys
    /// that verified the tokens: with these, tokens could be made.
    package func closeTokenSwaps(at now: Int64) async throws {
        let closing = try await database.scan { reader in
            try reader.withHMACKeys().filter {
                $0.tokenSwap.map { $0.closesAt <= now } ?? false
            }
        }
        for realm in closing {
            try await database.change { transaction in
                // Someone may have kept it open meanwhile.
                guard
                    let kept = try transaction.withHMACKeys().first(where: {
                        $0.id == realm.id
                    }),
                    kept == realm
                else { return }
                try transaction.run(
                    "DELETE FROM kept_keys WHERE realm_id = $1 AND kind = 'hmac'",
                    [.text(realm.id)]
                )
                try transaction.noteChange(ofRealm: realm.id)
            }
        }
    }
}

extension SQLReader {
    fileprivate func withHMACKeys() throws -> [Realm] {
        try rows(
            """
            SELECT r.id, r.name, r.issuer, r.settings FROM realms AS r
            WHERE EXISTS (SELECT 1 FROM kept_keys AS k WHERE k.realm_id = r.id AND k.kind = 'hmac')
            """,
            [],
            decode: Realm.init(row:)
        ).map(withDefaults)
    }
}
