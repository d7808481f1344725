package import HTTPTypes

extension HTTPRequest {
    /// A request to `address` exactly as written.
    package init(_ method: Method, to address: HTTPAddress) {
        self.init(
            method: method,
            scheme: address.isSecure ? "https" : "http",
            authority: address.authority,
            path: address.target
        )
    }

    /// The request's address, or `nil` if it is incomplete.
    package var address: HTTPAddress? {
        guard let scheme, let authority, let path else { return nil }
        return HTTPAddress("\(scheme)://\(authority)\(path)")
    }
}
