import HTTPTypes
import NIOCore
import PorticoBytes
package import PorticoProtocol

extension FormParameters {
    /// The body of a form post (RFC 6749 §3.2, appendix B).
    ///
    /// - Throws: ``FormRefusal``: too long, or `invalid_request` if it is not a form.
    package init(body request: Request, upTo maximum: Int = 64 * 1024) throws(FormRefusal) {
        guard FormContentType.isForm(request.headers) else {
            throw .invalid(
                OAuthError(
                    .invalidRequest,
                    "The Content-Type must be application/x-www-form-urlencoded."
                )
            )
        }
        guard request.body.readableBytes <= maximum else { throw .tooLong }
        do {
            try self.init(decoding: request.body.readableBytesView.withoutLineEnd)
        } catch {
            throw .invalid(error)
        }
    }

    /// The body of a program's request that may be JSON instead of a form: one object of texts, each
    /// member a parameter. Browsers of other sites cannot send it without asking (Fetch, CORS-preflight).
    ///
    /// - Throws: ``FormRefusal``: another type, too long, or `invalid_request`.
    package init(formOrJSON request: Request, upTo maximum: Int = 64 * 1024) throws(FormRefusal) {
        guard !FormContentType.isForm(request.headers) else {
            try self.init(body: request, upTo: maximum)
            return
        }
        guard FormContentType.isJSON(request.headers) else { throw .mediaType }
        guard request.body.readableBytes <= maximum else { throw .tooLong }
        let members: JSONObject
        do {
            members = try JSONObject(
                parsing: Array(request.body.readableBytesView),
                limits: .foreign(size: maximum, depth: 4)
            )
        } catch {
            throw .invalid(OAuthError(.invalidRequest, "The body is not a JSON object."))
        }
        guard members.count <= Self.maximumCount else {
            throw .invalid(OAuthError(.invalidRequest, "There are too many parameters."))
        }
        var parameters: [(name: String, value: String)] = []
        for (name, value) in members {
            guard let text = value.string else {
                throw .invalid(
                    OAuthError(.invalidRequest, parameter: Self.known(name), "is not a text.")
                )
            }
            parameters.append((name, text))
        }
        self.init(parameters)
    }

    /// The query of a request (RFC 6749 §3.1).
    ///
    /// - Throws: `invalid_request` if it is not form-encoded.
    package init(query target: RequestTarget) throws(OAuthError) {
        if let query = target.query {
            try self.init(decoding: query)
        } else {
            self.init()
        }
    }
}

/// Why a body was not read as a form.
package enum FormRefusal: Error, Hashable, Sendable {
    /// 413 (RFC 9110 §15.5.14).
    case tooLong
    /// 415: neither a form nor JSON (RFC 9110 §15.5.16).
    case mediaType
    /// Not a form, or not well-formed.
    case invalid(OAuthError)
}

/// The media type of a form (RFC 6749 appendix B).
enum FormContentType {
    /// One `Content-Type`, a form, in UTF-8 or without a charset, and not compressed.
    static func isForm(_ headers: HTTPFields) -> Bool {
        isOne("application/x-www-form-urlencoded", headers)
    }

    /// The same for JSON.
    static func isJSON(_ headers: HTTPFields) -> Bool {
        isOne("application/json", headers)
    }

    private static func isOne(_ type: String, _ headers: HTTPFields) -> Bool {
        let types = headers[values: .contentType]
        guard types.count == 1, headers[.contentEncoding] == nil else { return false }
        var parameters = types[0].split(separator: ";", omittingEmptySubsequences: false).map {
            String($0).trimmingBlanks.lowercased()
        }
        guard parameters.removeFirst() == type else { return false }
        return parameters.isEmpty
            || parameters == ["charset=utf-8"] || parameters == ["charset=\"utf-8\""]
    }
}

extension ByteBufferView {
    /// Without one line end behind the form, which some programs send and no form has: it would belong to
    /// the last parameter (RFC 9112 §2.2 knows the same of requests).
    fileprivate var withoutLineEnd: Self {
        guard last == UInt8(ascii: "\n") else { return self }
        let line = dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
