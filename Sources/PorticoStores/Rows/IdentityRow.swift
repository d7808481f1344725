import PorticoBytes

/// The columns of an identity.
enum IdentityColumn: Int, SQLColumns {
    case issuer, subject, provider, email, isEmailVerified, emailProof, isEmailRelay, linkedAt
    case lastUsedAt, sealedToken
}

extension Identity {
    /// - Parameter row: The columns of ``IdentityColumn``.
    init(_ row: any SQLRow) throws {
        func at(_ column: IdentityColumn) -> Int { column.rawValue }
        self.init(
            key: IdentityKey(
                issuer: try row.text(at(.issuer)),
                subject: try row.text(at(.subject))
            ),
            provider: try row.text(at(.provider)),
            email: try row.email(at(.email)),
            linkedAt: try row.int64(at(.linkedAt)),
            lastUsedAt: try row.int64(at(.lastUsedAt)),
            sealedToken: try row.optionalText(at(.sealedToken))
        )
    }
}
