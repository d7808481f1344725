package import HTTPTypes
package import PorticoBytes
import PorticoProtocol

extension HTTPFields {
    /// `Idempotency-Key` (the HTTP working group's header field of that name): 1 to 255 bytes that
    /// the client drew for this request and repeats until it has stored an answer. `nil` if
    /// missing.
    ///
    /// - Throws: `refusal` if it is anything else.
    package func idempotencyKey<Refusal: Error>(
        or refusal: @autoclosure () -> Refusal
    ) throws(Refusal) -> Hash256? {
        let values = self[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1, (1...255).contains(value.utf8.count) else { throw refusal() }
        return Hash256(of: value)
    }
}
