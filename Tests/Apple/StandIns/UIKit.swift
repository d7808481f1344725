// swift-format-ignore-file
@_exported public import Foundation

// https://developer.apple.com/documentation/uikit/uiwindow
@MainActor open class UIWindow { public nonisolated init() {} }

#if os(Linux)
    /// Where the tests run: the system that grants time and takes it back.
    public enum TimeStandIn {
        private static let lock = NSLock()
        nonisolated(unsafe) private static var refuses = false
        nonisolated(unsafe) private static var running: [@Sendable (Bool) -> Void] = []

        public static func refuse(_ refuses: Bool) { lock.withLock { self.refuses = refuses } }
        public static var count: Int { lock.withLock { running.count } }

        public static func expire() {
            for block in lock.withLock({ running }) { block(true) }
        }

        fileprivate static func perform(_ block: @escaping @Sendable (Bool) -> Void) {
            let refuses = lock.withLock {
                if !self.refuses { running.append(block) }
                return self.refuses
            }
            // On a queue of the system's, as there.
            DispatchQueue(label: "expiring").async {
                block(refuses)
                lock.withLock { if !refuses { running.removeFirst() } }
            }
        }
    }

    extension ProcessInfo {
        public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void) {
            TimeStandIn.perform(block)
        }
    }
#endif
