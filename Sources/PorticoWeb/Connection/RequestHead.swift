import HTTPTypes
import NIOHTTP1
import PorticoBytes
import PorticoProtocol

/// A request's head with only one possible reading (RFC 9112 §3, §6).
///
/// The decoder below (llhttp, strict) has already refused bare LF, NUL, folded lines, blanks before
/// the colon, two `Content-Length`s, and `Content-Length` beside `Transfer-Encoding`.
struct RequestHead {
    let request: HTTPRequest
    let keepsAlive: Bool
    let expectsContinue: Bool
    /// The `Content-Length`; `nil` if the body is chunked; 0 without a body.
    let bodyLength: Int?
    /// The most bytes that its body may have.
    let longestBody: Int
    /// Where it may have more, if its sender is let in.
    let uploadCheck: UploadCheck?

    /// - Parameter uploads: Whether the request's row takes long bodies.
    init(
        _ head: HTTPRequestHead,
        limits: ConnectionLimits,
        uploads: (HTTPRequest) -> UploadCheck? = { _ in nil }
    ) throws(RequestRefusal) {
        guard head.uri.utf8.count <= limits.target else { throw .targetTooLong }
        let absolute = try AbsoluteTarget(head.uri)
        let path = absolute?.path ?? head.uri
        longestBody = limits.body(of: path, head.headers["authorization"])
        let isHTTP10 = head.version.minor == 0
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        var host: String?
        var bodyLength: Int? = 0
        var hasLength = false
        var expectsContinue = false
        var foreign = 0
        for (rawName, rawValue) in head.headers {
            guard let name = HTTPField.Name(rawName) else { throw .malformed }
            let value = rawValue.trimmingBlanks
            // Later code compares and folds values, and `HTTPField` transcodes non-ASCII ones each
            // time they are read (RFC 9110 §5.5: non-ASCII is opaque). So the limit applies to all
            // of them together.
            if !withBytes(of: value.utf8, { $0.allSatisfy { $0 < 0x80 } }) {
                foreign += value.utf8.count
                guard foreign <= ForeignText.longest else { throw .malformed }
            }
            guard name.canonicalName != "host" else {
                // A proxy in front of us could read a second one differently.
                guard host == nil else { throw .malformed }
                host = value
                continue
            }
            switch name {
            case .contentLength:
                guard !hasLength, let length = Self.length(value) else { throw .malformed }
                bodyLength = length
                hasLength = true
            case .transferEncoding:
                // HTTP/1.0 does not define it (RFC 9112 §6.1).
                guard !isHTTP10, !hasLength else { throw .malformed }
                guard value.lowercased() == "chunked" else { throw .unknownCoding }
                bodyLength = nil
                hasLength = true
            case .expect:
                guard value.lowercased() == "100-continue" else { throw .unknownExpectation }
                expectsContinue = !isHTTP10
            default: break
            }
            fields.append(HTTPField(name: name, value: value))
        }
        // RFC 9112 §3.2: exactly one Host. HTTP/1.0 had none, and load balancers still check health
        // without one; every other request without it is 421.
        guard host != nil || isHTTP10 else { throw .malformed }
        // Closing after every HTTP/1.0 request avoids waiting for more. After an Upgrade or CONNECT,
        // the decoder reads no further.
        keepsAlive =
            head.isKeepAlive && !isHTTP10 && fields[.upgrade] == nil && head.method != .CONNECT
        if !keepsAlive {
            fields[.connection] = "close"
        }
        self.expectsContinue = expectsContinue && bodyLength != 0
        self.bodyLength = bodyLength
        guard let method = HTTPRequest.Method(head.method.rawValue) else { throw .malformed }
        request = HTTPRequest(
            method: method,
            scheme: "http",
            // RFC 9112 §3.2.2: the host in the target counts, whatever the field says.
            authority: absolute?.authority ?? host,
            path: path,
            headerFields: fields
        )
        let longestUpload = limits.uploads?.bytes ?? 0
        let isLong = (bodyLength ?? .max) > min(longestBody, Uploads.held)
        uploadCheck = isLong && longestUpload > longestBody ? uploads(request) : nil
        let longest = uploadCheck == nil ? longestBody : longestUpload
        guard bodyLength ?? 0 <= longest else { throw .bodyTooLong }
    }

    /// Digits only, and not too large.
    private static func length(_ value: String) -> Int? {
        Int(digits: value.utf8)
    }
}

/// A request target in absolute form, which every server has to take (RFC 9112 §3.2.2): clients that are
/// set up with a proxy send it.
private struct AbsoluteTarget {
    let authority: String
    /// Path and query.
    let path: String

    /// - Returns: `nil` for a target of another form.
    init?(_ uri: String) throws(RequestRefusal) {
        let schemes = ["http://", "https://"]
        guard
            let scheme = schemes.first(where: {
                uri.utf8.prefix($0.utf8.count).lazy.map(\.lowercased).elementsEqual($0.utf8)
            })
        else { return nil }
        let rest = uri.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        // RFC 9110 §4.2.1, §4.2.4: a host, and no user name before it.
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { throw .malformed }
        self.authority = String(Substring(authority))
        let path = String(Substring(rest[authority.endIndex...]))
        self.path = path.hasPrefix("/") ? path : "/" + path
    }
}
