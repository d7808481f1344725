import PorticoBytes

/// Keeps requests to an endpoint waiting until a test lets them go on.
package final class ATHostBarrier: Sendable {
    package enum Place: Sendable {
        /// Before anything is done.
        case request
        /// When all is done, before the answer goes out.
        case answer
    }

    private struct State: Sendable {
        var waiting = 0
        var arrived = 0
        var isOpen = false
    }

    let endpoint: ATHostEndpoint
    let place: Place
    private let count: Int
    private let state = Locked(State())

    init(_ endpoint: ATHostEndpoint, _ place: Place, until count: Int) {
        self.endpoint = endpoint
        self.place = place
        self.count = count
    }

    /// How many requests wait now.
    package var waiting: Int { state.withLock { $0.waiting } }

    /// Lets those that wait go on, and all that come.
    package func release() {
        state.withLock { $0.isOpen = true }
    }

    func pass() async {
        state.withLock { state in
            state.waiting += 1
            state.arrived += 1
            if state.arrived >= count { state.isOpen = true }
        }
        defer { state.withLock { $0.waiting -= 1 } }
        while !state.withLock({ $0.isOpen }) {
            do {
                try await Task.sleep(for: .milliseconds(2))
            } catch {
                return
            }
        }
    }
}
