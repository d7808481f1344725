import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

/// `…/attack-detection/brute-force/users`: what counts against people who try passwords
/// (``FailedPasswords``). No one is locked out for good: people wait.
struct AdminBruteForce: Sendable {
    let administration: RealmAdministration
    let tries: FailedPasswords

    var rows: [AdminRow] {
        [
            .get("attack-detection/brute-force/users/{user}", .viewUsers, read),
            .delete("attack-detection/brute-force/users/{user}", .manageUsers) { call in
                try await administration.forgetTries(
                    of: try await call.person(in: administration.people).person,
                    counted: tries,
                    by: call.administrator,
                    at: call.moment.now
                )
                return .done
            },
            .delete("attack-detection/brute-force/users", .manageUsers) { call in
                try await administration.forgetTries(
                    in: call.realm.realm,
                    counted: tries,
                    by: call.administrator,
                    at: call.moment.now
                )
                return .done
            },
        ]
    }

    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person(in: administration.people).person
        let names = [person.username] + (person.email.map { [$0] } ?? [])
        let standing = tries.standing(
            of: person.id,
            named: names.map(LoginName.folded),
            realm: call.realmID,
            at: call.moment.now
        )
        return .object([
            "failedLoginNotBefore": 0, "numFailures": .integer(Int64(standing.failures)),
            "numTemporaryLockouts": 0, "disabled": .bool(standing.mustWait),
            "numSecondaryAuthFailures": 0, "lastIPFailure": "n/a",
            "lastFailure": .integer((Int64(exactly: standing.lastAt.rounded(.down)) ?? 0) &* 1000),
        ])
    }
}
