// swift-format-ignore-file
@_exported public import Foundation

// https://developer.apple.com/documentation/uikit/uiwindow
@MainActor open class UIWindow { public nonisolated init() {} }

#if os(Linux)
    /// Where the tests run: the system that grants time and takes it back.
    public enum TimeStandIn {
        private static let lock = NSLock()
        nonisolated(unsafe) private static var refuses = false
        nonisolated(unsafe) private static var running: [UUID: @Sendable (Bool) -> Void] = [:]

        public static func refuse(_ refuses: Bool) { lock.withLock { self.refuses = refuses } }

        /// Whether `count` activities run before a second has gone by: one that has ended leaves
        /// its queue a little later.
        public static func hasRunning(_ count: Int) -> Bool {
            for _ in 0..<1000 {
                if lock.withLock({ running.count }) == count { return true }
                Thread.sleep(forTimeInterval: 0.001)
            }
            return false
        }

        public static func expire() {
            for block in lock.withLock({ Array(running.values) }) { block(true) }
        }

        fileprivate static func perform(_ block: @escaping @Sendable (Bool) -> Void) {
            let id = UUID()
            let refuses = lock.withLock {
                if !self.refuses { running[id] = block }
                return self.refuses
            }
            // On a queue of the system's, as there.
            DispatchQueue(label: "expiring").async {
                block(refuses)
                lock.withLock { _ = running.removeValue(forKey: id) }
            }
        }
    }

    extension ProcessInfo {
        public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void) {
            TimeStandIn.perform(block)
        }
    }
#endif
