import PorticoBytes

/// How many long bodies there are at one time, of one account and in all, and how much disk they take
/// (docs/decisions/0068).
package final class UploadPlaces: Sendable {
    /// The place of one long body, from its head to the answer. It is given back with its last
    /// reference: when the request is answered or refused, or its connection ends.
    package final class Place: Sendable {
        private let places: UploadPlaces
        private let account: String
        private let stored: Locked<Int>

        fileprivate init(_ places: UploadPlaces, _ account: String, stored: Int) {
            self.places = places
            self.account = account
            self.stored = Locked(stored)
        }

        deinit {
            places.giveBack(account, stored.withLock { $0 })
        }

        /// - Returns: Whether there is room for so many more bytes of the body on the disk.
        func take(_ more: Int) -> Bool {
            guard places.take(more, for: account) else { return false }
            stored.withLock { $0 += more }
            return true
        }
    }

    private struct Taken {
        var count = 0
        /// Bytes on the disk, or that are announced for it.
        var stored = 0
    }

    private struct State {
        var all = Taken()
        var ofAccount: [String: Taken] = [:]

        func of(_ account: String) -> Taken { ofAccount[account, default: Taken()] }

        mutating func add(_ count: Int, stored: Int, for account: String) {
            all.count += count
            all.stored += stored
            var own = of(account)
            own.count += count
            own.stored += stored
            ofAccount[account] = own.count > 0 ? own : nil
        }
    }

    package static let most = 64
    /// An app sends the images of a post at once.
    static let mostOfAccount = 4
    /// Of the disk that others leave, an account gets a quarter: four of the longest ones, at first.
    private static let part = 4

    /// Bytes that all of them may have on the disk.
    private let room: Int
    private let state = Locked(State())

    init(room: Int) {
        self.room = room
    }

    /// - Parameter stored: Bytes that the body will have on the disk, as far as is known.
    func take(for account: String, stored: Int) throws(Upload.Unread) -> Place {
        let refusal: Upload.Unread? = state.withLock { state in
            guard state.of(account).count < Self.mostOfAccount else { return .tooMany }
            guard state.all.count < Self.most, hasRoom(stored, for: account, state) else {
                return .full
            }
            state.add(1, stored: stored, for: account)
            return nil
        }
        if let refusal { throw refusal }
        return Place(self, account, stored: stored)
    }

    private func take(_ more: Int, for account: String) -> Bool {
        state.withLock { state in
            guard hasRoom(more, for: account, state) else { return false }
            state.add(0, stored: more, for: account)
            return true
        }
    }

    private func hasRoom(_ more: Int, for account: String, _ state: State) -> Bool {
        let own = state.of(account).stored
        return own + more <= (room - (state.all.stored - own)) / Self.part
    }

    private func giveBack(_ account: String, _ stored: Int) {
        state.withLock { $0.add(-1, stored: -stored, for: account) }
    }
}
