/// A way to hand a mail to somebody who will deliver it.
package protocol MailTransport: Sendable {
    /// Hands `mail` over once. When it returns, the other side has taken it on (RFC 5321 §4.2.5).
    ///
    /// Whoever calls again after a failure may send the mail twice: a connection can break between
    /// the last byte and its reply.
    func send(_ mail: Mail) async throws(DeliveryFailure)

    /// To be called once, at the end.
    func shutDown() async
}
