/// How it is known whose an e-mail address is, from the least to the most
/// (docs/decisions/0020).
package enum EmailVerification: UInt8, CaseIterable, Comparable, Sendable {
    /// No provider vouches for it.
    case unverified
    /// A provider vouches for it that has no authority over the mailbox; or it is not known any more
    /// who did.
    case vouched
    /// The provider that vouched for it has authority over the mailbox (PRV-G-6).
    case authoritative
    /// A code that was mailed to it came back.
    case mailedCode

    /// Whether the mailbox has answered, or the provider that runs it.
    package var isProof: Bool { self >= .authoritative }

    package static func < (one: EmailVerification, other: EmailVerification) -> Bool {
        one.rawValue < other.rawValue
    }
}
