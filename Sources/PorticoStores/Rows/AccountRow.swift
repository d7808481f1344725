import PorticoBytes

/// The columns of an account.
enum AccountColumn: Int, SQLColumns {
    case id, email, isEmailVerified, emailProof, isEmailRelay, name, isNameOwn, picture, language
    case isEnabled, isWelcomed, createdAt, lastSignInAt, emailKey
}

extension Account {
    /// - Parameter first: The place of the first column of ``AccountColumn``.
    init(_ row: any SQLRow, from first: Int = 0) throws {
        func at(_ column: AccountColumn) -> Int { first + column.rawValue }
        self.init(
            id: try row.text(at(.id)),
            email: try row.email(at(.email)),
            name: try row.optionalText(at(.name)),
            isNameOwn: try row.bool(at(.isNameOwn)),
            picture: try row.optionalText(at(.picture)),
            language: try row.optionalText(at(.language)) ?? "en",
            isBlocked: try !row.bool(at(.isEnabled)),
            isWelcomed: try row.bool(at(.isWelcomed)),
            createdAt: try row.int64(at(.createdAt)),
            lastSignInAt: try row.optionalInt64(at(.lastSignInAt)) ?? row.int64(at(.createdAt))
        )
    }

    /// In the order of ``AccountColumn``.
    var values: [SQLValue] {
        [
            .text(id), SQLValue(email?.address), .bool(email?.isVerified == true),
            SQLValue(email?.verification.proof),
            .bool(email?.isRelay == true), SQLValue(name), .bool(isNameOwn), SQLValue(picture),
            .text(language), .bool(!isBlocked), .bool(isWelcomed), .int64(createdAt),
            .int64(lastSignInAt), SQLValue(email?.key),
        ]
    }
}

extension SQLRow {
    /// An address, with whether it is verified, by what proof, and whether it is a relay's in the
    /// three columns behind it.
    func email(_ column: Int) throws -> AccountEmail? {
        guard let address = try optionalText(column) else { return nil }
        return AccountEmail(
            address: address,
            verification: EmailVerification(
                isVerified: try bool(column + 1),
                proof: try optionalText(column + 2)
            ),
            isRelay: try bool(column + 3)
        )
    }
}

extension EmailVerification {
    /// A verified address without a proof is vouched for.
    init(isVerified: Bool, proof: String?) {
        switch proof {
        case _ where !isVerified: self = .unverified
        case "authority": self = .authoritative
        case "code": self = .mailedCode
        default: self = .vouched
        }
    }

    /// The column `email_proof`.
    var proof: String? {
        switch self {
        case .unverified, .vouched: nil
        case .authoritative: "authority"
        case .mailedCode: "code"
        }
    }
}

/// An account with how often it was signed out everywhere.
struct CountedAccount {
    var account: Account
    var epoch: Int64
}

extension CountedAccount {
    /// - Parameter row: The columns of ``AccountColumn``, then `epoch`.
    init(_ row: any SQLRow) throws {
        self.init(account: try Account(row), epoch: try row.int64(AccountColumn.count))
    }
}

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
