import PorticoBytes
import PorticoStores

/// The columns of an identity in the order in which every query selects them:
/// `issuer, subject, provider, email, is_email_verified, email_proof, is_email_relay, linked_at,
/// last_used_at, sealed_token`.
enum IdentityRow {
    static func identity(_ row: any SQLRow) throws -> Identity {
        Identity(
            key: IdentityKey(issuer: try row.text(0), subject: try row.text(1)),
            provider: try row.text(2),
            email: try row.email(3),
            linkedAt: try row.int64(7),
            lastUsedAt: try row.int64(8),
            sealedToken: try row.optionalText(9)
        )
    }
}
