#if canImport(Darwin)
    import HTTPTypes
    import PorticoProtocol
    public import PorticoSystem

    extension AuthorizedHTTP {
        /// Sets the `Authorization` field of a request that the app sends by `URLSession`.
        ///
        /// - Throws: As ``data(for:body:limits:)``; nothing is sent but a refresh.
        public func authorize(_ request: inout URLRequest) async throws(SignInError) {
            guard let address = (request.url?.absoluteString).flatMap({ HTTPAddress($0) }) else {
                throw SignInError(.misconfigured(.originNotAllowed))
            }
            // The method does not matter for where a token may go.
            var authorized = HTTPRequest(.get, to: address)
            try await authorize(&authorized)
            let field = authorized.headerFields[.authorization]
            request.setValue(field, forHTTPHeaderField: "Authorization")
        }
    }
#endif
