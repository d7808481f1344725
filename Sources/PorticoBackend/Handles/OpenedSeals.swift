import PorticoBytes
import PorticoProtocol
import PorticoSeals

/// Seals that opened lately: the format's cipher costs more than the rest of a session check.
///
/// A seal is added only after it opened, under the hash of its whole text, so the answer is that of
/// opening it again.
final class OpenedSeals: Sendable {
    private let objects: Locked<TwoGenerations<Hash256, Iron.Opened>>

    /// - Parameter capacity: An entry is a few hundred bytes.
    init(capacity: Int = 4096) {
        objects = Locked(TwoGenerations(capacity: capacity))
    }

    /// How many seals are remembered.
    var count: Int { objects.withLock { $0.count } }

    /// What a seal holds.
    ///
    /// - Parameters:
    ///   - milliseconds: Since 1970.
    ///   - open: Opens the seal, if it is not remembered or has expired.
    func object(
        in text: String,
        at milliseconds: Int64,
        _ open: () throws(IronError) -> Iron.Opened
    ) throws(IronError) -> JSONObject {
        let key = Hash256(of: text)
        let known = objects.withLock { $0[key] }
        if let known, known.expiresAt.map({ $0 > milliseconds }) ?? true { return known.object }
        let opened = try open()
        objects.withLock { $0.insert(opened, for: key) }
        return opened.object
    }
}
