import PorticoBytes
import PorticoProtocol
import PorticoUpstream

/// A sign-in that is under way, as it is kept sealed in the browser that began it.
protocol PendingAttempt: Sendable {
    /// What its seal is for, so that none opens as one of another kind.
    static var purpose: StaticString { get }
    var id: UniqueID { get }
    var state: SecretText { get }
    /// Contains secrets: to be sealed.
    var encoded: [UInt8] { get }

    init(encoded: [UInt8]) throws(ByteReader.Malformed)
}

extension Attempt: PendingAttempt {
    static var purpose: StaticString { "sign-in attempt" }
}
