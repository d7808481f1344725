import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension HTTPResponseHead {
    /// The head of an answer with a complete body (RFC 9110 §8.6), and the time (§6.6.1).
    init(_ response: Response, at date: CurrentDate) {
        self.init(HTTPResponse(status: response.status, headerFields: response.headers))
        if !response.headers.contains(.contentLength) {
            headers.add(name: "content-length", value: "\(response.body.readableBytes)")
        }
        headers.add(name: "date", value: date.text())
    }
}
