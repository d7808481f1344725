import PorticoStores

extension LiveAccountSession {
    /// Seconds for which a proof of who somebody is counts (WEB-SESS-8).
    static let proofLife: Int64 = 600

    /// Whether its person has proven lately who they are, as whoever changes how an account is
    /// reached must have (WEB-SESS-8).
    ///
    /// That they have signed in is no proof: a provider may answer by a session that it still has of
    /// somebody who went away. Where neither the provider says when it asked, nor the account has an
    /// address that a code could be mailed to, a sign-in is all that there is.
    func isProven(at now: Int64) -> Bool {
        if let provenAt = session.provenAt { return now - provenAt <= Self.proofLife }
        return account.email == nil && now - session.createdAt <= Self.proofLife
    }
}
