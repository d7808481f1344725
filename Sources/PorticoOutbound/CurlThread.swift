import CCurl
import PorticoBytes
import PorticoProtocol

/// The thread on which libcurl carries all exchanges of one client, and the connections that it keeps.
///
/// Begins with the first exchange. Its client must say when it ends.
final class CurlThread: Sendable {
    /// Of the connections that rest, so many are kept.
    private static let resting = 64

    private let most: (host: Int, all: Int)

    private struct Inbox {
        /// While the thread runs.
        var multi: UnsafeMutableRawPointer?
        var arrived: [CurlExchange] = []
        var cancelled: [CurlExchange] = []
        var isEnded = false
        var whenOver: [@Sendable () -> Void] = []
    }

    private let inbox = Locked(Inbox())

    /// - Parameter most: Connections to one host, and to all; requests beyond them wait unsent. 0: as
    ///   many as requests. libcurl knows a host by where its connections go: names with one address,
    ///   as behind a content delivery network, are one to it.
    init(most: (host: Int, all: Int) = (0, 0)) {
        self.most = most
    }

    /// At the first of some addresses that takes the connection.
    ///
    /// - Parameter routes: `nil` for the address that the request has.
    func send(_ request: CurlRequest, by routes: [CurlRoute?]) async throws(HTTPTransportError)
        -> HTTPReply
    {
        var failure = CurlFailure(error: .unreachable)
        for route in routes {
            do {
                return try await send(request, by: route)
            } catch {
                failure = error
                // Nothing was sent where it is unconnected; the next address may answer.
                guard error.isUnconnected else { break }
            }
        }
        throw failure.error
    }

    private func send(_ request: CurlRequest, by route: CurlRoute?) async throws(CurlFailure)
        -> HTTPReply
    {
        guard let exchange = CurlExchange(request, route) else {
            throw CurlFailure(error: .malformed)
        }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.continuation = continuation
                if let error = begin(exchange) {
                    exchange.end(.failure(CurlFailure(error: error)))
                }
            }
        } onCancel: {
            cancel(exchange)
        }.get()
    }

    /// Closes the connections; exchanges under way are cancelled.
    func end(_ whenOver: @escaping @Sendable () -> Void = {}) {
        let isRunning = inbox.withLock { inbox in
            inbox.isEnded = true
            guard let multi = inbox.multi else { return false }
            inbox.whenOver.append(whenOver)
            curl_multi_wakeup(multi)
            return true
        }
        if !isRunning { whenOver() }
    }

    /// - Returns: Why it does not begin.
    private func begin(_ exchange: CurlExchange) -> HTTPTransportError? {
        inbox.withLock { inbox in
            if exchange.isCancelled { return .cancelled }
            guard !inbox.isEnded, let multi = inbox.multi ?? start() else { return .unreachable }
            inbox.multi = multi
            inbox.arrived.append(exchange)
            curl_multi_wakeup(multi)
            return nil
        }
    }

    private func cancel(_ exchange: CurlExchange) {
        inbox.withLock { inbox in
            exchange.isCancelled = true
            guard !inbox.isEnded, let multi = inbox.multi else { return }
            inbox.cancelled.append(exchange)
            curl_multi_wakeup(multi)
        }
    }

    private func start() -> UnsafeMutableRawPointer? {
        guard let multi = curl_multi_init() else { return nil }
        guard
            portico_curl_multi_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, most.host) != 0,
            portico_curl_multi_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most.all) != 0,
            portico_curl_multi_number(multi, CURLMOPT_MAXCONNECTS, Self.resting) != 0,
            OwnThread.start({ self.run() })
        else {
            curl_multi_cleanup(multi)
            return nil
        }
        return multi
    }

    // MARK: On the thread

    private func run() {
        guard let multi = inbox.withLock({ $0.multi }) else { return }
        var underWay: [UnsafeMutableRawPointer: CurlExchange] = [:]
        func take(_ handle: UnsafeMutableRawPointer) -> CurlExchange? {
            guard let exchange = underWay.removeValue(forKey: handle) else { return nil }
            curl_multi_remove_handle(multi, handle)
            return exchange
        }
        while true {
            let news = inbox.withLock { inbox in
                let news = inbox
                (inbox.arrived, inbox.cancelled, inbox.whenOver) = ([], [], [])
                // From here on nothing wakes what is cleaned up below.
                if news.isEnded { inbox.multi = nil }
                return news
            }
            for exchange in news.arrived {
                underWay[exchange.handle] = exchange
                if curl_multi_add_handle(multi, exchange.handle) != CURLM_OK {
                    take(exchange.handle)?.end(CURLE_OUT_OF_MEMORY)
                }
            }
            let ended = news.isEnded ? Array(underWay.values) : news.cancelled
            for exchange in ended {
                take(exchange.handle)?.end(.failure(CurlFailure(error: .cancelled)))
            }
            if news.isEnded {
                curl_multi_cleanup(multi)
                for tell in news.whenOver { tell() }
                return
            }
            // What is over by now is read once more: its answer may have come while others held this up,
            // and one with tokens does not come again.
            let now = ContinuousClock.now
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            while let message = curl_multi_info_read(multi, &count)?.pointee {
                guard message.msg == CURLMSG_DONE, let handle = message.easy_handle else {
                    continue
                }
                take(handle)?.end(message.data.result)
            }
            for exchange in underWay.values where exchange.request.deadline <= now {
                take(exchange.handle)?.end(.failure(CurlFailure(error: .timedOut)))
            }
            let next = underWay.values.map(\.request.deadline).min()
            curl_multi_poll(multi, nil, 0, Self.milliseconds(from: .now, to: next), nil)
        }
    }

    private static func milliseconds(
        from now: ContinuousClock.Instant,
        to next: ContinuousClock.Instant?
    ) -> Int32 {
        let longest = Duration.seconds(3600)
        let rest = next.map { max(.zero, min($0 - now, longest)) } ?? longest
        return Int32(rest / .milliseconds(1)) + 1
    }
}
