import HTTPTypes
import PorticoBytes
import PorticoProtocol

extension CodeFlow {
    /// The address to open in a browser, after the request was pushed to the provider if it must be
    /// (RFC 9126 §2, §4): a login token in an address would be in the browser's history, and the
    /// provider has to ask the person about it. A request with a key is pushed where it can be, with
    /// a proof: a provider that refuses that says so before a person is asked (RFC 9449 §10.1).
    package func pushedAddress(
        for request: SignInRequest,
        scopes: [ScopeToken],
        further: [(name: String, value: String)]
    ) async throws(SignInError) -> String {
        guard let endpoint = metadata.pushedAuthorizationRequestEndpoint,
            request.loginToken != nil || key != nil || metadata.requiresPushedRequests
        else { return address(for: request, scopes: scopes, further: further) }
        let reply = try await http.post(
            endpoint,
            // How a client identifies itself may have it too, and no parameter stands there twice.
            form: (parameters(of: request, scopes: scopes) + further).filter {
                $0.name != "client_id"
            },
            by: { () throws(SignInError) in
                var client = try client.identification(metadata)
                if !client.form.contains(where: { $0.name == "client_id" }) {
                    client.form.append(("client_id", self.client.id))
                }
                return client
            },
            proving: key,
            limits: HTTPLimits(bytes: 16 * 1024, seconds: 10),
            check: .response
        )
        guard (200...201).contains(reply.response.status.code) else {
            guard let error = ErrorResponse(reply), reply.response.status.code != 429 else {
                throw http.failure(of: reply)
            }
            throw SignInError(error, retryAfter: http.retryAfter(reply))
        }
        // `try?`: what is no JSON has no reference in it.
        guard reply.isJSON,
            let json = try? JSONObject(parsing: reply.body, limits: .foreign(size: 16 * 1024)),
            let reference = json.string("request_uri"), !reference.isEmpty
        else { throw SignInError(.rejected(.response)) }
        return FormEncoding.appending(
            [("client_id", client.id), ("request_uri", reference)],
            to: metadata.authorizationEndpoint
        )
    }
}

extension ProviderMetadata {
    /// RFC 9126 §5.
    fileprivate var requiresPushedRequests: Bool {
        let value = json["require_pushed_authorization_requests"]
        return value == true || value == "true"
    }
}
