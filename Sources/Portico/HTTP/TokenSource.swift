import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// The source of an ``AuthorizedHTTP``'s token, and where it may be sent.
protocol TokenSource: Sendable {
    var exchange: ProviderHTTP { get }
    var origins: [String] { get }
    var allowsInsecureLoopback: Bool { get }

    /// A valid token, refreshed first if necessary.
    func token() async throws(SignInError) -> SentToken

    /// - Returns: `nil` if another token cannot be obtained.
    func token(replacing used: SecretText) async throws(SignInError) -> SentToken?

    /// The token that a request carries; `nil` if it is none of this source's kind.
    func token(in request: HTTPRequest) -> SentToken?

    /// Whether the reply refuses the token.
    func isRefusal(_ reply: HTTPReply) -> Bool

    /// Keeps what a reply says of the session.
    ///
    /// - Throws: interactionRequired if it is over.
    func took(_ reply: HTTPReply, to token: SentToken) async throws(SignInError)
}

extension TokenSource {
    func took(_ reply: HTTPReply, to token: SentToken) async throws(SignInError) {}
}

extension HTTPRequest {
    /// The token in the `Authorization` field.
    ///
    /// - Parameter scheme: With the space after it.
    func token(after scheme: StaticString) -> SecretText? {
        let scheme = "\(scheme)"
        guard let field = headerFields[.authorization], field.hasPrefix(scheme) else { return nil }
        return SecretText(String(field.dropFirst(scheme.utf8.count)))
    }
}

extension ProviderHTTP {
    /// Keeps the nonce in a reply to a request that the app sent by other means.
    ///
    /// - Returns: Whether the reply asks for it.
    func noteNonce(in reply: HTTPReply, to request: HTTPRequest) -> Bool {
        guard let address = request.address,
            nonces.note(reply, from: address, at: moment.seconds) != nil
        else { return false }
        return DPoPSender.Place.resource.asksForNonce(reply)
    }
}
