import PorticoProtocol

extension RealmStore {
    /// Ends the swaps that close at `now` (seconds since 1970) or closed before, and forgets the keys
    /// that verified the tokens: with these, tokens could be made.
    package func closeTokenSwaps(at now: Int64) async throws {
        let closing = try await database.scan { reader in
            try reader.withHMACKeys().filter { $0.tokenSwap.map { $0.closesAt <= now } ?? false }
        }
        for realm in closing {
            try await database.change { transaction in
                // Someone may have kept it open meanwhile.
                guard
                    let kept = try transaction.withHMACKeys().first(where: { $0.id == realm.id }),
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
        )
    }
}
