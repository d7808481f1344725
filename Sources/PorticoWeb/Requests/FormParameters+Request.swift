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
            try self.init(decoding: request.body.readableBytesView)
        } catch {
            throw .invalid(error)
        }
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
    /// Not a form, or not well-formed.
    case invalid(OAuthError)
}

/// The media type of a form (RFC 6749 appendix B).
enum FormContentType {
    /// One `Content-Type`, a form, in UTF-8 or without a charset, and not compressed.
    static func isForm(_ headers: HTTPFields) -> Bool {
        let types = headers[values: .contentType]
        guard types.count == 1, headers[.contentEncoding] == nil else { return false }
        var parameters = types[0].split(separator: ";", omittingEmptySubsequences: false).map {
            String($0).trimmingBlanks.lowercased()
        }
        guard parameters.removeFirst() == "application/x-www-form-urlencoded" else { return false }
        return parameters.isEmpty
            || parameters == ["charset=utf-8"] || parameters == ["charset=\"utf-8\""]
    }
}
