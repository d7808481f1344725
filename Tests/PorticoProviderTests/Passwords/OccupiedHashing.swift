import PorticoAdministration
import PorticoBytes
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// One thread for hashing, and one asker who has all the places for it that they may have. The first of
/// their hashes has the thread for a second or so.
final class OccupiedHashing: Sendable {
    let hashing: PasswordHashing
    private let tasks = Locked<[Task<Void, any Error>]>([])
    private let refused = Locked(0)

    init(places: Int) {
        hashing = PasswordHashing(threads: 1, mostWaiting: places - 1, random: .system)
    }

    /// Also after a test that has failed on its way: no threads are given back that still run.
    deinit {
        let hashing = hashing
        Task { await hashing.shutDown() }
    }

    /// How many have not got in, or had to leave.
    var refusals: Int { refused.withLock { $0 } }

    /// Takes the places, and makes sure that there is no further one.
    ///
    /// - Parameters:
    ///   - costly: How many hashes get in that take a quarter of all places each.
    ///   - cheap: How many others do after them.
    func take(costly: Int, cheap: Int, for asker: HashingAsker) async throws {
        try await take(costly, Self.costly, asker)
        try await take(cheap, nil, asker)
    }

    /// Who still waits goes. The one that has the thread keeps it until it is done.
    func leave() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    private func take(_ count: Int, _ hash: PasswordHash?, _ asker: HashingAsker) async throws {
        let password = try #require(PasswordText("correct horse"))
        let before = refusals
        for _ in 0...count {
            let task = Task {
                do {
                    _ = try await self.hashing.verify(password, against: hash, for: asker)
                } catch let busy as PasswordHashing.Busy {
                    self.refused.withLock { $0 += 1 }
                    throw busy
                }
            }
            tasks.withLock { $0.append(task) }
        }
        // Of so many one is refused only where all others are in.
        try await waitUntil("all places are taken") { refusals > before }
    }

    private static let costly = PasswordHash(
        encoded: "$pbkdf2-sha256$i=5000000,l=32$AAECAwQFBgcICQoLDA0ODw"
            + "$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ"
    )
}
