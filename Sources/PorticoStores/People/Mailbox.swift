/// An e-mail address and what is known of it.
package struct Mailbox: Hashable, Sendable {
    /// As it was given.
    package var address: String
    package var verification: EmailVerification
    /// A relay's address, such as Apple's: never compared with others (PRV-A-8).
    package var isRelay: Bool

    package init(
        address: String,
        verification: EmailVerification = .unverified,
        isRelay: Bool = false
    ) {
        self.address = address
        self.verification = verification
        self.isRelay = isRelay
    }

    /// A provider vouches for it: what `email_verified` says.
    package var isVerified: Bool { verification > .unverified }

    /// The one spelling that addresses are compared in.
    package var key: String { LoginName.folded(address) }
}

/// How it is known whose an e-mail address is, from the least to the most
/// (docs/decisions/0020).
package enum EmailVerification: UInt8, CaseIterable, Comparable, Sendable {
    /// No provider vouches for it.
    case unverified
    /// A provider vouches for it that has no authority over the mailbox; or it is not known any more
    /// who did.
    case vouched
    /// The provider that vouched for it has authority over the mailbox (PRV-G-6), or an administrator
    /// or a file says so.
    case authoritative
    /// A code that was mailed to it came back.
    case mailedCode

    /// Whether the mailbox has answered, or the provider that runs it.
    package var isProof: Bool { self >= .authoritative }

    package static func < (one: EmailVerification, other: EmailVerification) -> Bool {
        one.rawValue < other.rawValue
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
