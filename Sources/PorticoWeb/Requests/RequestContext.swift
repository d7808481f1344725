package import HTTPTypes
package import PorticoBytes
package import PorticoProtocol

/// A request to a configured host, confidential as far as can be known, with a canonical path.
package struct RequestContext: Sendable {
    package let received: Request
    package let target: RequestTarget
    package let client: ClientAddress
    /// The short id in the log line and on pages.
    package let id: RequestID
    package let moment: Moment
    /// The realm's own host that was asked (docs/decisions/0059); `nil` under the public URL.
    package let realmHost: PublicURL?
    /// Whether another site's page led the person here: such requests count apart
    /// (``ServiceContext/sender``).
    package var isLedHere = false

    package init(
        received: Request,
        target: RequestTarget,
        client: ClientAddress,
        id: RequestID,
        moment: Moment,
        realmHost: PublicURL? = nil
    ) {
        self.received = received
        self.target = target
        self.client = client
        self.id = id
        self.moment = moment
        self.realmHost = realmHost
    }
}

/// The values that a service adds to the request: the realm, the language of its pages.
package protocol ServiceContext: Sendable {
    var request: RequestContext { get }
}

extension RequestContext: ServiceContext {
    package var request: RequestContext { self }
}

extension ServiceContext {
    package var method: HTTPRequest.Method { request.received.method }
    package var headers: HTTPFields { request.received.headers }
    package var target: RequestTarget { request.target }
    package var moment: Moment { request.moment }
    /// Whole seconds since 1970.
    package var now: Int64 { request.moment.seconds }
    package var requestID: String { request.id.text }
    /// The sender, for rate limits.
    package var address: String { request.client.limitKey }
    /// The sender at rows where requests that other sites' pages lead to count apart: those use up
    /// nothing of what people at that address begin themselves.
    package var sender: String { request.isLedHere ? "\(address) led here" : address }
    /// The values of all `Authorization` header fields.
    package var authorization: [String] { headers[values: .authorization] }

    /// The body of a form post (RFC 6749 §3.2, appendix B).
    package func form(upTo maximum: Int = 64 * 1024) throws(FormRefusal) -> FormParameters {
        try FormParameters(body: request.received, upTo: maximum)
    }

    /// The parameters of the request: from the body of a form post, otherwise from the query (RFC
    /// 6749 §3.1).
    package func parameters() throws -> FormParameters {
        method == .post ? try form() : try FormParameters(query: target)
    }
}
