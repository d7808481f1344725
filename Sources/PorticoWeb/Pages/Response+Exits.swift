package import HTTPTypes
import NIOCore
package import PorticoProtocol

extension Response {
    /// A page.
    package init(
        page html: [UInt8],
        status: HTTPResponse.Status = .ok,
        policy: PagePolicy,
        headers: SecurityHeaders,
        cookies: [HTTPField] = []
    ) {
        var fields = headers.page(policy)
        fields.append(contentsOf: cookies)
        self.init(status: status, headers: fields, bytes: html)
    }

    /// A JSON document for a program, never cached.
    package init(
        json value: JSONValue,
        status: HTTPResponse.Status = .ok,
        headers: SecurityHeaders,
        adding extra: HTTPFields = [:]
    ) {
        self.init(json: value.serialized(), status: status, headers: headers, adding: extra)
    }

    /// A JSON document with ready bytes.
    package init(
        json bytes: [UInt8],
        status: HTTPResponse.Status = .ok,
        headers: SecurityHeaders,
        adding extra: HTTPFields = [:]
    ) {
        var fields = headers.json
        fields.append(contentsOf: extra)
        self.init(status: status, headers: fields, bytes: bytes)
    }

    /// Metadata or a key set, which may be cached for `seconds`.
    package init(
        publicJSON bytes: [UInt8],
        for seconds: Int,
        headers: SecurityHeaders,
        adding extra: HTTPFields = [:]
    ) {
        var fields = headers.publicJSON(for: seconds)
        fields.append(contentsOf: extra)
        self.init(status: .ok, headers: fields, bytes: bytes)
    }

    /// 303 (RFC 9700 §4.12: a 307 would forward the password).
    package init(
        _ redirect: Redirect,
        headers: SecurityHeaders,
        cookies: [HTTPField] = []
    ) {
        var fields = headers.plain
        fields[.location] = redirect.location
        fields.append(contentsOf: cookies)
        self.init(status: .seeOther, headers: fields)
    }

    /// A status with a line for who reads the answer: no page, and no JSON of any service.
    package init(text: String, status: HTTPResponse.Status, headers: SecurityHeaders) {
        var fields = headers.plain
        fields[.contentType] = "text/plain; charset=utf-8"
        self.init(status: status, headers: fields, bytes: Array((text + "\n").utf8))
    }

    /// A status without a body.
    package init(
        empty status: HTTPResponse.Status,
        headers: SecurityHeaders,
        adding extra: HTTPFields = [:]
    ) {
        var fields = headers.plain
        fields.append(contentsOf: extra)
        self.init(status: status, headers: fields)
    }

    /// 405, listing the allowed methods (RFC 9110 §15.5.6; attack H04).
    package init(
        methodNotAllowedBut allowed: [HTTPRequest.Method],
        headers: SecurityHeaders
    ) {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        self.init(empty: .methodNotAllowed, headers: headers, adding: [.allow: names])
    }

    /// The delay before another try when the server is busy, in seconds.
    package static let whenBusy = 2.0

    /// 429 or 503 with `Retry-After` in whole seconds, at least one (RFC 6585 §4, RFC 9110 §10.2.3).
    package static func retryAfter(_ seconds: Double) -> HTTPFields {
        [.retryAfter: "\(Int(exactly: seconds.rounded(.up).clamped(to: 1...86_400)) ?? 86_400)"]
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.upperBound : Swift.min(range.upperBound, Swift.max(range.lowerBound, self))
    }
}
