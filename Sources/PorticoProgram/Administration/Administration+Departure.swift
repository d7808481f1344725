import PorticoBackend
import PorticoBytes

extension Administration {
    /// Takes something of an account away as its own person would, by the same rules.
    func depart(
        _ leaving: (AccountDeparture, Moment) async throws -> AccountDeparture.Report?
    ) async throws -> AccountDeparture.Report? {
        try await Self.withOutbound { outbound in
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
    }
}

extension Console {
    /// Says of each provider that had given us a token what became of it.
    func say(_ report: AccountDeparture.Report) {
        for (provider, outcome) in report.revocations { say(outcome, of: printable(provider)) }
    }

    private func say(_ outcome: AccountDeparture.Revocation, of provider: String) {
        switch outcome {
        case .revoked: say("  \(provider) has revoked its token.")
        case .notRevoked:
            warn("\(provider) did not revoke its token: it has no way to, or does not answer.")
        case .providerGone:
            warn("\(provider) is not set up any more, or disabled: its token was not revoked.")
        case .tokenLost:
            warn("\(provider): its token does not open any more, and was not revoked.")
        }
    }
}
