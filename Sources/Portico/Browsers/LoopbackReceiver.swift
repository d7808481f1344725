import Dispatch
import PorticoBytes

/// Receives one authorization response on a loopback port that is open only for that time (RFC 8252
/// §7.3, §8.3).
///
/// A request that is not the awaited response changes nothing: it neither ends the wait nor learns
/// anything. The awaited request is held until ``finish(_:)`` is called with the outcome, so that
/// the page in the browser is correct; the browser is then redirected to an address without the
/// code (RFC 9700 §4.3.1). After that, or on a timeout or cancellation, the port is closed.
package final class LoopbackReceiver: Sendable {
    /// The redirect URI, with the port that is open.
    package let redirectURI: String
    private let server: LoopbackServer

    /// Opens the port: on 127.0.0.1 or, if that is not possible, on [::1] (RFC 8252 §7.3). A port
    /// requested by number is opened on 127.0.0.1 only: a client that registered it did not
    /// register [::1] (OpenID Connect Core §3.1.2.1).
    ///
    /// - Parameters:
    ///   - path: Begins with a slash, without query.
    ///   - port: 0 for any free one.
    /// - Throws: misconfigured(.loopbackUnavailable), misconfigured(.loopbackPortInUse)
    package convenience init(path: String, port: UInt16 = 0) throws(SignInError) {
        let families: [LoopbackFamily] = port == 0 ? [.ipv4, .ipv6] : [.ipv4]
        try self.init(path: path, port: port, families: families, limits: .standard)
    }

    init(path: String, port: UInt16, families: [LoopbackFamily], limits: LoopbackLimits)
        throws(SignInError)
    {
        var isInUse = false
        for family in families {
            let listener: Int32
            let open: UInt16
            do {
                (listener, open) = try LoopbackSocket.listen(family, port: port)
            } catch {
                isInUse = port != 0 && error == .inUse
                continue
            }
            let authority = "\(family.literal):\(open)"
            redirectURI = "http://\(authority)\(path)"
            server = try LoopbackServer(
                listener: listener,
                authority: authority,
                path: path,
                limits: limits
            )
            return
        }
        throw SignInError(.misconfigured(isInUse ? .loopbackPortInUse : .loopbackUnavailable))
    }

    deinit {
        server.close()
    }

    /// Waits for a request that `isAwaited` accepts.
    ///
    /// - Parameters:
    ///   - isAwaited: Called with the whole URI of each request for the path; returns true at most
    ///     once. Called on the receiver's own thread.
    /// - Throws: cancelled(.timedOut), cancelled(.program); the port is then closed.
    package func response(
        timeout: Duration,
        isAwaited: @escaping @Sendable (String) -> Bool
    ) async throws(SignInError) {
        let server = server
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                server.start(timeout: timeout, isAwaited: isAwaited) {
                    continuation.resume(returning: $0)
                }
            }
        } onCancel: {
            server.close()
        }
        switch ending {
        case .accepted: return
        case .timedOut: throw SignInError(.cancelled(.timedOut))
        case .closed: throw SignInError(.cancelled(.program))
        }
    }

    /// Offers a URI received by other means, such as pasted by the person.
    ///
    /// - Returns: Whether it was the awaited response; the wait then ends.
    package func offer(_ uri: String) -> Bool {
        server.offer(uri)
    }

    /// Answers the browser that brought the response, and closes the port once it has fetched the
    /// page.
    package func finish(_ page: LoopbackPage) async {
        await withCheckedContinuation { continuation in
            server.finish(page) { continuation.resume() }
        }
    }

    /// Closes the port at once. May be called at any time and more than once.
    package func close() {
        server.close()
    }
}

/// The time and size limits of the receiver.
struct LoopbackLimits: Sendable {
    /// For a complete request.
    var request: Duration
    /// For the browser to fetch the page at the end.
    var page: Duration
    var connections: Int

    static let standard = LoopbackLimits(request: .seconds(5), page: .seconds(2), connections: 32)
}

extension LoopbackReceiver {
    /// Opens `address` in `browser` and waits for the answer.
    ///
    /// Does not wait for the browser itself: a browser that stays until it has shown the final page
    /// would wait for us.
    ///
    /// - Throws: What the browser or the wait threw; the port is then closed.
    func response(
        timeout: Duration,
        opening address: String,
        in browser: any ExternalBrowser,
        isAwaited: @escaping @Sendable (String) -> Bool
    ) async throws(SignInError) {
        let failure = Locked<SignInError?>(nil)
        let opening = Task {
            do {
                try await browser.open(address)
            } catch {
                failure.withLock { $0 = SignInError(opening: error) }
                close()
            }
        }
        defer { opening.cancel() }
        do {
            try await response(timeout: timeout, isAwaited: isAwaited)
        } catch {
            throw failure.withLock { $0 } ?? error
        }
    }
}

extension SignInError {
    /// The error for what a browser threw.
    init(opening error: any Error) {
        if let error = error as? SignInError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled(.program))
        } else {
            self.init(.misconfigured(.noBrowser))
        }
    }
}
