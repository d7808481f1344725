import PorticoBytes
import PorticoProtocol

/// The documents of clients that are registered nowhere (docs/decisions/0064).
extension GrantStore {
    /// The document of that client (``Client/id``), as it was when a person last let it in.
    package func document(ofClient id: String, realmID: String) async throws -> KeptClientDocument?
    {
        try await database.read { reader in
            try reader.first(
                """
                SELECT id, realm_id, client_id, document FROM client_documents
                WHERE id = $1 AND realm_id = $2
                """,
                [.text(id), .text(realmID)]
            ) { try KeptClientDocument($0) }
        }
    }

    /// Removes documents that no grant and no consent needs, and that were last used before `time`.
    package func purgeDocuments(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT id FROM client_documents
                WHERE id > $1 AND last_used_at < $2
                    AND id NOT IN (SELECT client_id FROM grants)
                    AND id NOT IN (SELECT client_id FROM document_consents)
                ORDER BY id LIMIT 200
                """,
                [cursor ?? .text(""), .int64(time)]
            ) { SQLValue.text(try $0.text(0)) }
        } removing: { transaction, id in
            try transaction.run(
                "DELETE FROM client_documents WHERE id = $1 AND last_used_at < $2",
                [id, .int64(time)]
            )
        }
    }
}

extension KeptClientDocument {
    /// - Parameter row: `id`, `realm_id`, `client_id` and `document`, from that column on.
    init(_ row: any SQLRow, from first: Int = 0) throws {
        self.init(
            id: try row.text(first),
            realmID: try row.text(first + 1),
            clientID: try row.text(first + 2),
            document: try row.document(first + 3)
        )
    }
}

extension SQLTransaction {
    /// Keeps the document of a client that a person lets in.
    func keep(_ document: KeptClientDocument, at now: Int64) throws {
        try run(
            """
            INSERT INTO client_documents (id, realm_id, client_id, document, last_used_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (id) DO UPDATE
            SET document = excluded.document, last_used_at = excluded.last_used_at
            """,
            [
                .text(document.id), .text(document.realmID), .text(document.clientID),
                SQLValue(document.document), .int64(now),
            ]
        )
    }
}
