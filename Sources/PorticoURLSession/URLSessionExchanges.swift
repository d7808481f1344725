#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif
import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// The running exchanges of a ``URLSessionTransport``; URLSession's delegate.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Result = Swift.Result<HTTPReply, HTTPTransportError>

    private struct Exchange {
        let limit: Int
        let tell: @Sendable (Result) -> Void
        var body: [UInt8] = []
    }

    private struct State {
        var exchanges: [Int: Exchange] = [:]
        /// Cancelled before they began.
        var ended: Set<Int> = []
    }

    private let state = Locked(State())

    func begin(
        _ task: URLSessionDataTask,
        limits: HTTPLimits,
        tell: @escaping @Sendable (Result) -> Void
    ) {
        let isEnded = state.withLock { state in
            if state.ended.remove(task.taskIdentifier) != nil { return true }
            state.exchanges[task.taskIdentifier] = Exchange(limit: limits.bytes, tell: tell)
            return false
        }
        guard !isEnded else {
            task.cancel()
            return tell(.failure(.cancelled))
        }
        task.resume()
        let deadline = DispatchTime.now() + .seconds(min(max(limits.seconds, 0), 86_400))
        DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self, weak task] in
            guard let self, let task else { return }
            self.end(task, with: .failure(.timedOut), onlyIfBegun: true)
        }
    }

    /// Delivers the result, unless one was delivered before.
    func end(_ task: URLSessionTask, with result: Result, onlyIfBegun: Bool = false) {
        let exchange = state.withLock { state in
            let exchange = state.exchanges.removeValue(forKey: task.taskIdentifier)
            if exchange == nil, !onlyIfBegun { state.ended.insert(task.taskIdentifier) }
            return exchange
        }
        guard let exchange else { return }
        // First: on Linux, cancelling waits for a pause that an endlessly sending server does not
        // make.
        exchange.tell(result)
        if case .failure = result { task.cancel() }
    }

    /// A redirect is a reply like any other (see ``HTTPTransport``).
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        let isTooLarge = state.withLock { state in
            guard var exchange = state.exchanges.removeValue(forKey: dataTask.taskIdentifier)
            else { return false }
            let isTooLarge = data.count > exchange.limit - exchange.body.count
            if !isTooLarge { exchange.body.append(contentsOf: data) }
            state.exchanges[dataTask.taskIdentifier] = exchange
            return isTooLarge
        }
        if isTooLarge { end(dataTask, with: .failure(.tooLarge), onlyIfBegun: true) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error {
            return end(task, with: .failure(Self.transportError(error)), onlyIfBegun: true)
        }
        guard let received = task.response as? HTTPURLResponse else {
            return end(task, with: .failure(.malformed), onlyIfBegun: true)
        }
        let body = state.withLock { $0.exchanges[task.taskIdentifier]?.body ?? [] }
        let reply = HTTPReply(response: Self.response(of: received), body: body)
        end(task, with: .success(reply), onlyIfBegun: true)
    }

    private static func response(of received: HTTPURLResponse) -> HTTPResponse {
        var response = HTTPResponse(status: .init(code: received.statusCode))
        for (name, value) in received.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }),
                let value = value as? String
            else { continue }
            response.headerFields.append(HTTPField(name, received: value))
        }
        return response
    }

    private static func transportError(_ error: any Error) -> HTTPTransportError {
        guard let error = error as? URLError else { return .unreachable }
        return switch error.code {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            .untrusted
        case .unknown where isAboutCertificate(error): .untrusted
        case .badURL, .unsupportedURL, .badServerResponse, .cannotDecodeRawData,
            .cannotDecodeContentData, .cannotParseResponse:
            .malformed
        default: .unreachable
        }
    }

    /// On Linux the code tells nothing; only the underlying text does ("SSL certificate problem:
    /// …"). The text only selects the error; nothing is ever accepted because of it.
    private static func isAboutCertificate(_ error: URLError) -> Bool {
        #if canImport(FoundationNetworking)
            error.localizedDescription.hasPrefix("SSL")
        #else
            false
        #endif
    }
}
