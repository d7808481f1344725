import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

/// Two openings of one file stand in for two processes.
@Suite("Stores of accounts, of two processes on one file") struct AccountProcessesContract {
    @Test("WEB-ACC-2: first sign-ins at two processes make one account")
    func registration() async throws {
        let (one, other) = try both()
        for round in 1...20 {
            let key = AccountExample.key("\(round)")
            let outcomes = try await concurrently(10) { index in
                try await (index.isMultiple(of: 2) ? one : other)
                    .signIn(AccountExample.signIn(key))
            }
            #expect(outcomes.filter { $0.isNew == true }.count == 1)
            #expect(Set(outcomes.compactMap(\.account?.id)).count == 1)
        }
    }

    @Test("decision 0013: a hand-off code is redeemed once, whichever process it comes to")
    func handOff() async throws {
        let (one, other) = try both()
        for _ in 1...20 {
            let code = try await one.waiting().code
            let outcomes = try await concurrently(10) { index in
                try await (index.isMultiple(of: 2) ? one : other).redeem(code)
            }
            #expect(outcomes.filter { $0.isNew != nil }.count == 1)
        }
    }

    @Test("a mail is taken once, whichever process takes it")
    func mails() async throws {
        let (one, other) = try both()
        for _ in 1...20 {
            try await one.outbox.add(OutboxContract.draft())
            let taken = try await concurrently(10) { index in
                try await (index.isMultiple(of: 2) ? one : other).outbox.take(
                    limit: 5,
                    at: AccountExample.now,
                    retryAt: AccountExample.now + 60
                )
            }
            #expect(taken.filter { !$0.isEmpty }.count == 1)
        }
    }

    @Test("what the command line changes, the server's version tells")
    func version() async throws {
        let (server, command) = try both()
        let before = try await server.configuration.version()
        try await command.put(.app("notes", "com.example.notes:/cb"))
        #expect(try await server.configuration.version() != before)
    }

    private func both() throws -> (TestDatabase, TestDatabase) {
        let one = try StoreUnderTest.sqliteFile.empty()
        return (one, try one.openedAgain())
    }
}
