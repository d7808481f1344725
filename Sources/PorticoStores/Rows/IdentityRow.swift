import PorticoBytes

/// The columns of an identity.
enum IdentityColumn: Int, SQLColumns {
    case provider, issuer, subject, username, email, isEmailVerified, emailProof, isEmailRelay
    case linkedAt, lastUsedAt, sealedToken
}

extension Identity {
    /// - Parameter row: The columns of ``IdentityColumn``.
    init(_ row: any SQLRow) throws {
        func at(_ column: IdentityColumn) -> Int { column.rawValue }
        provider = try row.text(at(.provider))
        issuer = try row.optionalText(at(.issuer))
        subject = try row.text(at(.subject))
        username = try row.optionalText(at(.username))
        email = try row.optionalText(at(.email)).map { address in
            try row.mailbox(
                address,
                isVerified: at(.isEmailVerified),
                proof: at(.emailProof),
                isRelay: at(.isEmailRelay)
            )
        }
        linkedAt = try row.int64(at(.linkedAt))
        lastUsedAt = try row.int64(at(.lastUsedAt))
        sealedToken = try row.optionalText(at(.sealedToken))
    }
}
