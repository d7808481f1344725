/// Passes a mail to a server or program that delivers it.
package protocol MailTransport: Sendable {
    /// Passes `mail` on once. When it returns, the receiver has accepted it (RFC 5321 §4.2.5).
    ///
    /// Calling again after a failure may send the mail twice: a connection can break between the
    /// last byte and its reply.
    func send(_ mail: Mail) async throws(DeliveryFailure)

    /// Must be called once, at the end.
    func shutDown() async
}
