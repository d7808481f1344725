package import HTTPTypes

extension HTTPField.Name {
    /// - Parameter name: A literal that is a field name.
    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(name)") else {
            preconditionFailure("The literal is a field name.")
        }
        return name
    }

    /// The relation of a request's origin to ours, sent by the browser (Fetch Metadata §2.3).
    package static let fetchSite = known("Sec-Fetch-Site")
    /// Our pages add it to requests that need more than a cookie (WEB-BFF-5).
    package static let portico = known("X-Portico")
    /// The HTTP working group's header field of that name.
    package static let idempotencyKey = known("Idempotency-Key")
}
