import PorticoBackend
import PorticoBytes
import PorticoStores

extension Administration {
    /// Ends or deletes something of an account as its owner would: providers revoke their tokens.
    ///
    /// - Parameters:
    ///   - subject: As a sentence begins.
    ///   - leaving: `nil` where it was deleted in the meantime.
    func depart(
        _ subject: String,
        done: String,
        _ leaving: (AccountDeparture, Moment) async throws -> AccountDeparture.Report?
    ) async throws {
        let report = try await Self.withOutbound { outbound in
            // Known before, so that nothing stands between what is taken away and the revocation.
            let directory = try await BackendDirectory(store: installation.backend) { record in
                try client(of: record, over: outbound)
            }
            let departure = AccountDeparture(
                accounts: installation.accounts,
                directory: directory,
                ring: installation.ring
            )
            return try await leaving(departure, moment)
        }
        guard let report else { return try expectChanged(.notFound, subject) }
        console.done(done)
        for (provider, outcome) in report.revocations { say(outcome, of: printable(provider)) }
    }

    private func say(_ outcome: AccountDeparture.Revocation, of provider: String) {
        switch outcome {
        case .revoked: console.say("  \(provider) has revoked its token.")
        case .notRevoked:
            console.warn(
                "\(provider) did not revoke its token: it cannot, or does not answer."
            )
        case .providerGone:
            console.warn(
                "\(provider) is no longer set up, or is disabled: its token was not revoked."
            )
        case .tokenLost:
            console.warn("\(provider): its token can no longer be opened, and was not revoked.")
        }
    }
}
