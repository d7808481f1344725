import PorticoBytes
import PorticoStores
import PorticoSQLite

/// What the database keeps of six digits that were mailed or shown.
package struct KeptCode: Sendable {
    /// What the hash could be bound to: the other columns of its row.
    package let columns: [[UInt8]]
    package let hash: [UInt8]

    /// Whether an attacker with only the database would find the code by trying all million.
    package func isPlain(_ code: String) -> Bool {
        let code = Array(code.utf8)
        return ([[]] + columns).contains { column in
            [code, column + code, code + column].contains { text in
                Hash256(of: text).bytes == hash || text == hash
            }
        }
    }
}

extension TestDatabase {
    /// Of every address to be confirmed.
    package func keptConfirmations() throws -> [KeptCode] {
        try database.read { reader in
            try reader.rows("SELECT owner, CAST(address AS BLOB), code_hash FROM email_codes", []) {
                KeptCode(columns: [try $0.bytes(0), try $0.bytes(1)], hash: try $0.bytes(2))
            }
        }
    }

    /// Of every wish for a new password for which a code was shown.
    package func keptResetCodes() throws -> [KeptCode] {
        try database.read { reader in
            try reader.rows(
                """
                SELECT id, link_hash, browser_hash, code_hash FROM password_resets
                WHERE code_hash IS NOT NULL
                """,
                []
            ) { row in
                KeptCode(columns: try (0..<3).map { try row.bytes($0) }, hash: try row.bytes(3))
            }
        }
    }
}
