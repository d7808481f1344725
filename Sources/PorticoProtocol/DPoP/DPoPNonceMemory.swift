import HTTPTypes
import PorticoBytes

/// The newest nonce of each server that this client asked, by origin (RFC 9449 §8.2).
package final class DPoPNonceMemory: Sendable {
    /// How many origins are remembered; the one that was heard of least lately goes first.
    private static let most = 1_024
    /// Of a nonce, in bytes.
    private static let longest = 512

    private struct Entry {
        let nonce: String
        let receivedAt: Int64
    }

    private let entries = Locked<[Hash256: Entry]>([:])

    package init() {}

    /// The nonce for a request to `address`.
    ///
    /// - Parameter seconds: Since it was received, at most.
    package func nonce(
        for address: HTTPAddress,
        notOlderThan seconds: Int64 = .max,
        at now: Int64
    ) -> String? {
        let origin = Hash256(of: address.origin)
        guard let entry = entries.withLock({ $0[origin] }), now - entry.receivedAt <= seconds else {
            return nil
        }
        return entry.nonce
    }

    /// Keeps what a reply gave, whatever its status.
    ///
    /// - Returns: The nonce; `nil` if the reply has none, has several, or has one that no proof
    ///   would be read with.
    @discardableResult
    package func note(_ reply: HTTPReply, from address: HTTPAddress, at now: Int64) -> String? {
        let given = reply.response.headerFields[values: .dpopNonce]
        guard given.count == 1, let nonce = given.first, Self.isProper(nonce) else { return nil }
        let origin = Hash256(of: address.origin)
        entries.withLock { entries in
            if entries[origin] == nil, entries.count >= Self.most {
                let oldest = entries.min { $0.value.receivedAt < $1.value.receivedAt }
                if let oldest { entries[oldest.key] = nil }
            }
            entries[origin] = Entry(nonce: nonce, receivedAt: now)
        }
        return nonce
    }

    /// Visible ASCII without quotation mark and backslash (RFC 9449 §8.1).
    private static func isProper(_ nonce: String) -> Bool {
        1...longest ~= nonce.utf8.count
            && nonce.utf8.allSatisfy {
                $0.isVisible && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}
