import Foundation
import PorticoWeb
import Testing

@testable import PorticoBackend

@Suite("Limits of the backend") struct BackendLimitTests {
    @Test("WEB-BRUTE-2: a thousand people a second, each from an address of their own, all get in")
    func crowd() {
        let limits = BackendLimits()
        let begun = Date(timeIntervalSince1970: 1_800_000_000)
        var refused = 0
        for number in 0..<60_000 {
            let now = begun.addingTimeInterval(Double(number) / 1000)
            for limit in [limits.starts, limits.callbacks] {
                let verdict = limit.take(LimitKey("address", "\(number)"), at: now)
                if verdict != .allowed { refused += 1 }
            }
        }
        #expect(refused == 0)
        // One of them alone is limited as ever.
        let end = begun.addingTimeInterval(60)
        let tries = (0..<20).map { _ in limits.starts.take(LimitKey("address", "x"), at: end) }
        #expect(tries.count { $0 == .allowed } <= 5)
    }
}
