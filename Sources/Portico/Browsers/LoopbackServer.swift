import Dispatch
import PorticoBytes
import PorticoSystem

/// The thread of a ``LoopbackReceiver``, and the commands sent to it.
///
/// Its own thread owns all sockets and waits in `poll`; other threads leave a command under the
/// lock and wake it through a pipe.
final class LoopbackServer: Sendable {
    enum Ending: Sendable {
        case accepted
        case timedOut
        case closed
    }

    struct Orders {
        var isAwaited: (@Sendable (String) -> Bool)?
        /// Called once with how the wait ended.
        var onEnding: (@Sendable (Ending) -> Void)?
        var isAccepted = false
        var page: LoopbackPage?
        var onFinished: [@Sendable () -> Void] = []
        var isClosing = false
        var isRunning = false
        /// The thread has ended, or was never started and never will be.
        var isOver = false
    }

    let authority: String
    let path: String
    let limits: LoopbackLimits
    let orders = Locked(Orders())
    private let listener: Int32
    private let wakeRead: Int32
    private let wakeWrite: Int32

    init(listener: Int32, authority: String, path: String, limits: LoopbackLimits)
        throws(SignInError)
    {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, ends.allSatisfy(LoopbackSocket.prepare) else {
            _ = posixClose(listener)
            throw SignInError(.misconfigured(.loopbackUnavailable))
        }
        self.listener = listener
        self.authority = authority
        self.path = path
        self.limits = limits
        (wakeRead, wakeWrite) = (ends[0], ends[1])
    }

    deinit {
        // The thread holds a reference while it runs.
        _ = posixClose(wakeRead)
        _ = posixClose(wakeWrite)
    }

    func start(
        timeout: Duration,
        isAwaited: @escaping @Sendable (String) -> Bool,
        onEnding: @escaping @Sendable (Ending) -> Void
    ) {
        let isStarting = orders.withLock { orders in
            guard !orders.isOver, !orders.isRunning else { return false }
            orders.isRunning = true
            orders.isAwaited = isAwaited
            orders.onEnding = onEnding
            return true
        }
        guard isStarting else { return onEnding(.closed) }
        let deadline = ContinuousClock.now + timeout
        // Not the cooperative pool: this thread blocks in poll.
        DispatchQueue(label: "portico.loopback").async { [self] in
            LoopbackLoop(server: self, listener: listener, wake: wakeRead, deadline: deadline).run()
        }
    }

    func offer(_ uri: String) -> Bool {
        guard accepts(uri) else { return false }
        wake()
        return true
    }

    /// Whether `uri` is the awaited response; once it is, no other is accepted.
    func accepts(_ uri: String) -> Bool {
        let isAwaited = orders.withLock { $0.isAccepted || $0.isClosing ? nil : $0.isAwaited }
        // Not under the lock: this calls foreign code, and it decides for one caller only.
        guard let isAwaited, isAwaited(uri) else { return false }
        let onEnding = orders.withLock { orders in
            orders.isAccepted = true
            return orders.takeOnEnding()
        }
        onEnding?(.accepted)
        return true
    }

    func finish(_ page: LoopbackPage, onFinished: @escaping @Sendable () -> Void) {
        let isOver = orders.withLock { orders in
            if orders.isOver || !orders.isRunning { return true }
            orders.page = page
            orders.onFinished.append(onFinished)
            return false
        }
        if isOver {
            close()
            onFinished()
        } else {
            wake()
        }
    }

    func close() {
        let (isRunning, isFirst) = orders.withLock { orders in
            defer {
                orders.isClosing = true
                if !orders.isRunning { orders.isOver = true }
            }
            return (orders.isRunning, !orders.isClosing)
        }
        guard isFirst else { return }
        if isRunning {
            wake()
        } else {
            _ = posixClose(listener)
        }
    }

    /// Called by the thread last, once all sockets are closed.
    func ended(_ ending: Ending) {
        let (onEnding, onFinished) = orders.withLock { orders in
            orders.isOver = true
            orders.isClosing = true
            defer { orders.onFinished = [] }
            return (orders.takeOnEnding(), orders.onFinished)
        }
        onEnding?(ending)
        for tell in onFinished { tell() }
    }

    private func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes the thread too.
        _ = write(wakeWrite, &byte, 1)
    }
}

extension LoopbackServer.Orders {
    fileprivate mutating func takeOnEnding() -> (@Sendable (LoopbackServer.Ending) -> Void)? {
        defer { onEnding = nil }
        return onEnding
    }
}

/// `close`, for types that have a method of the same name.
func posixClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
