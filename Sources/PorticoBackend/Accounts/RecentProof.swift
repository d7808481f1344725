import PorticoStores

extension LiveAccountSession {
    /// How many seconds a proof of identity is valid (WEB-SESS-8).
    static let proofLife: Int64 = 600

    /// Whether its person has recently proven who they are, which is required for changing how an
    /// account is reached (WEB-SESS-8).
    ///
    /// Signing in alone is not a proof: the provider may use an existing session of a person who
    /// has left. If the provider does not report when it asked, and the account has no address for
    /// an emailed code, a sign-in must be enough.
    func isProven(at now: Int64) -> Bool {
        if let provenAt = session.provenAt { return now - provenAt <= Self.proofLife }
        return account.email == nil && now - session.createdAt <= Self.proofLife
    }
}
