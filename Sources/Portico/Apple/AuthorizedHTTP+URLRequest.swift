#if canImport(Darwin)
    import HTTPTypes
    import PorticoProtocol
    public import PorticoSystem

    extension AuthorizedHTTP {
        /// Sends a request with the fields that carry the token, as `data(for:body:limits:)`: method,
        /// address, fields, body and time limit are those of the request.
        ///
        /// - Parameter request: To one of the allowed origins, with its body in `httpBody`.
        /// - Throws: misconfigured(.originNotAllowed), misconfigured(.tokenInQuery) or
        ///   misconfigured(.bodyStream) before anything is sent; interactionRequired if the server says
        ///   that the session is over.
        public func data(for request: URLRequest) async throws(SignInError)
            -> (Data, HTTPURLResponse)
        {
            guard request.httpBodyStream == nil else {
                throw SignInError(.misconfigured(.bodyStream))
            }
            guard let url = request.url else {
                throw SignInError(.misconfigured(.originNotAllowed))
            }
            var plain = try Self.plain(request)
            plain.headerFields.set(request.allHTTPHeaderFields ?? [:])
            let (data, response) = try await data(
                for: plain,
                body: Array(request.httpBody ?? Data()),
                limits: HTTPLimits(timeout: request.timeoutInterval)
            )
            guard
                let answer = HTTPURLResponse(
                    url: url,
                    statusCode: response.status.code,
                    httpVersion: nil,
                    headerFields: response.headerFields.joinedByName
                )
            else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
            return (data, answer)
        }

        /// Sets the fields that carry the token in a request that the app sends by `URLSession`: one
        /// request, whose method and address a proof names.
        ///
        /// Show the answer to `reauthorize(_:after:)`: it may ask for a nonce in the
        /// proof.
        ///
        /// - Throws: As ``data(for:body:limits:)``; nothing is sent but a refresh.
        public func authorize(_ request: inout URLRequest) async throws(SignInError) {
            var authorized = try Self.plain(request)
            try await authorize(&authorized)
            Self.set(authorized, in: &request)
        }

        /// Takes what an answer to such a request says of the token and of its proof.
        ///
        /// Where the answer refuses the token, or asks for a nonce in the proof (RFC 9449 §9), the
        /// fields of `request` are set anew. Send it once more then, and not a third time.
        ///
        /// - Parameters:
        ///   - request: As `authorize(_:)` made it.
        ///   - response: The answer to it.
        /// - Returns: Whether the same request may succeed now.
        /// - Throws: As ``data(for:body:limits:)``; nothing is sent but a refresh.
        public func reauthorize(_ request: inout URLRequest, after response: HTTPURLResponse)
            async throws(SignInError) -> Bool
        {
            var authorized = try Self.plain(request)
            for field in Self.fields {
                authorized.headerFields[field] = request.value(forHTTPHeaderField: field.rawName)
            }
            let answer = HTTPResponse(
                status: .init(code: response.statusCode),
                headerFields: HTTPFields(received: response.allHeaderFields)
            )
            guard try await reauthorize(&authorized, after: answer) else { return false }
            Self.set(authorized, in: &request)
            return true
        }

        private static func plain(_ request: URLRequest) throws(SignInError) -> HTTPRequest {
            guard let address = (request.url?.absoluteString).flatMap({ HTTPAddress($0) }) else {
                throw SignInError(.misconfigured(.originNotAllowed))
            }
            return HTTPRequest(
                request.httpMethod.flatMap { HTTPRequest.Method($0) } ?? .get,
                to: address
            )
        }

        private static func set(_ authorized: HTTPRequest, in request: inout URLRequest) {
            for field in authorized.headerFields {
                request.setValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            // The system's own cookies would take the place of the session's.
            if authorized.headerFields[.cookie] != nil { request.httpShouldHandleCookies = false }
        }
    }
#endif
