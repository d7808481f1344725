package import HTTPTypes
package import PorticoProtocol

/// How a request to the token endpoint and similar endpoints identifies its client (RFC 6749 §2.3,
/// §3.2.1).
package struct ClientIdentification: Sendable {
    /// Asked for each try of a request: an assertion is good for one (RFC 7523 §3).
    package typealias Source = @Sendable () throws(SignInError) -> ClientIdentification

    package var form: [(name: String, value: String)]
    package var fields: HTTPFields

    package init(form: [(name: String, value: String)], fields: HTTPFields = [:]) {
        self.form = form
        self.fields = fields
    }

    /// A public client's identifier, which proves nothing. An app has nothing else (RFC 8252 §8.5).
    package init(clientID: String) {
        self.init(form: [("client_id", clientID)])
    }
}

/// A client of one provider, as its flows use it.
package struct FlowClient: Sendable {
    package let id: String
    /// Audiences that an ID Token may have in addition to this client.
    package var trustedAudiences: Set<String> = []
    /// How the client identifies itself to a provider with this metadata; made for each request.
    package var identification:
        @Sendable (ProviderMetadata) throws(SignInError) -> ClientIdentification

    /// A public client.
    package init(id: String) {
        self.init(id: id) { _ in ClientIdentification(clientID: id) }
    }

    package init(
        id: String,
        identification:
            @escaping @Sendable (ProviderMetadata) throws(SignInError) ->
            ClientIdentification
    ) {
        self.id = id
        self.identification = identification
    }
}
