package import PorticoBytes
package import PorticoStores

/// What is kept of an identity besides the person: a provider's refresh token.
extension SQLAccountStore {
    package func accountID(of key: IdentityKey) async throws -> UniqueID? {
        try await database.read { reader in
            try reader.first(
                "SELECT account_id FROM identities WHERE issuer = $1 AND subject = $2",
                [.text(key.issuer), .text(key.subject)]
            ) { try $0.uniqueID(0) }
        }
    }

    package func keepToken(_ sealedToken: String, of key: IdentityKey, replacing old: String?)
        async throws -> Change
    {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE identities SET sealed_token = $1
                WHERE issuer = $2 AND subject = $3
                    AND (sealed_token = $4 OR sealed_token IS NULL AND $4 IS NULL)
                """,
                [.text(sealedToken), .text(key.issuer), .text(key.subject), SQLValue(old)]
            )
            return changed > 0 ? .changed : .notFound
        }
    }
}
