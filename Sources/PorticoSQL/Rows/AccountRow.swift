import PorticoBytes
import PorticoStores

/// The columns of an account in the order in which every query selects them:
/// `id, email, is_email_verified, email_proof, is_email_relay, name, is_name_own, picture, language,
/// is_blocked, is_welcomed, created_at, last_sign_in_at`.
enum AccountRow {
    static let width = 13

    /// - Parameter first: The position of `id`.
    static func account(_ row: any SQLRow, from first: Int = 0) throws -> Account {
        Account(
            id: try row.uniqueID(first),
            email: try row.email(first + 1),
            name: try row.optionalText(first + 5),
            isNameOwn: try row.bool(first + 6),
            picture: try row.optionalText(first + 7),
            language: try row.text(first + 8),
            isBlocked: try row.bool(first + 9),
            isWelcomed: try row.bool(first + 10),
            createdAt: try row.int64(first + 11),
            lastSignInAt: try row.int64(first + 12)
        )
    }

    /// The same columns' values, with the e-mail address's key behind the address.
    static func values(_ account: Account) -> [SQLValue] {
        [
            .bytes(account.id.bytes), SQLValue(account.email?.address),
            SQLValue(account.email?.key), .bool(account.email?.isVerified == true),
            SQLValue(account.email?.verification.proof), .bool(account.email?.isRelay == true),
            SQLValue(account.name),
            .bool(account.isNameOwn), SQLValue(account.picture), .text(account.language),
            .bool(account.isBlocked), .bool(account.isWelcomed), .int64(account.createdAt),
            .int64(account.lastSignInAt),
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
    /// A program of the version before knows of no proof; what it has verified is vouched for.
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

    /// - Parameter first: The position of the account's `id`; `epoch` stands behind its columns.
    init(_ row: any SQLRow, from first: Int = 0) throws {
        account = try AccountRow.account(row, from: first)
        epoch = try row.int64(first + AccountRow.width)
    }

    init(account: Account, epoch: Int64) {
        self.account = account
        self.epoch = epoch
    }
}
