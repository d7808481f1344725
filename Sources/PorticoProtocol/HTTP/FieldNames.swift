package import HTTPTypes

extension HTTPField.Name {
    /// - Parameter name: A literal that is a field name.
    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else {
            preconditionFailure("The literal is a field name.")
        }
        return name
    }

    /// Of a request: its proof of possession (RFC 9449 §4.1).
    package static let dpop = known("DPoP")
    /// Of an answer: the nonce for the next proof (RFC 9449 §8).
    package static let dpopNonce = known("DPoP-Nonce")
    /// RFC 6749 §5.1 requires it in addition to `Cache-Control`.
    package static let pragma = known("Pragma")
    /// The relation of a request's origin to ours, sent by the browser (Fetch Metadata §2.3).
    package static let fetchSite = known("Sec-Fetch-Site")
    package static let fetchMode = known("Sec-Fetch-Mode")
    package static let fetchDestination = known("Sec-Fetch-Dest")
    package static let fetchPurpose = known("Sec-Purpose")
    /// Our pages add it to requests that need more than a cookie (WEB-BFF-5).
    package static let portico = known("X-Portico")
    /// The HTTP working group's header field of that name.
    package static let idempotencyKey = known("Idempotency-Key")
}
