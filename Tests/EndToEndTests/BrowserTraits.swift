import PorticoTestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// The test runs where this browser has its driver.
    static func needs(_ kind: BrowserKind) -> Self {
        .enabled(if: kind.isThere, "needs a WebDriver server: \(kind.variable)")
    }
}
