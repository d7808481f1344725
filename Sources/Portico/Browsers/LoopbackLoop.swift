import PorticoBytes
import PorticoSystem

/// The work of a ``LoopbackServer``'s thread, which owns the sockets from start to end.
final class LoopbackLoop {
    private struct Connection {
        var descriptor: Int32
        var deadline: ContinuousClock.Instant
        var received: [UInt8] = []
        var toSend: ArraySlice<UInt8> = []
        var phase = Phase.reading
        /// The final page: the work is done once it is sent.
        var isLast = false

        enum Phase {
            case reading
            /// Brought the response; its answer waits for the end of the sign-in.
            case held
            case sending
            /// Everything is sent; waits for the browser to close, or the page might be lost.
            case closing
        }
    }

    private let server: LoopbackServer
    private let listener: Int32
    private let wake: Int32
    private let deadline: ContinuousClock.Instant
    private var connections: [Connection] = []
    private var page: LoopbackPage?
    /// When the wait for the browser to fetch the page ends.
    private var pageDeadline: ContinuousClock.Instant?
    private var isPageSent = false

    init(server: LoopbackServer, listener: Int32, wake: Int32, deadline: ContinuousClock.Instant) {
        self.server = server
        self.listener = listener
        self.wake = wake
        self.deadline = deadline
    }

    func run() {
        var ending = LoopbackServer.Ending.closed
        while true {
            let (isClosing, isAccepted, page) = server.orders.withLock {
                ($0.isClosing, $0.isAccepted, $0.page)
            }
            if isClosing { break }
            let now = ContinuousClock.now
            if !isAccepted, now >= deadline {
                ending = .timedOut
                break
            }
            if let page, self.page == nil { begin(page, at: now) }
            if isFinished(at: now) { break }
            expire(at: now)
            poll(until: nextDeadline(isAccepted: isAccepted))
        }
        _ = posixClose(listener)
        for connection in connections { _ = posixClose(connection.descriptor) }
        server.ended(ending)
    }

    /// Redirects the held browser to the page.
    private func begin(_ page: LoopbackPage, at now: ContinuousClock.Instant) {
        self.page = page
        var isHeld = false
        for index in connections.indices where connections[index].phase == .held {
            isHeld = true
            send(LoopbackPage.redirect(to: donePath), on: index)
        }
        // The response was pasted, or its browser has disconnected: nothing will fetch the page.
        pageDeadline = isHeld ? now + server.limits.page : now
    }

    private var donePath: String {
        server.path.hasSuffix("/") ? "\(server.path)done" : "\(server.path)/done"
    }

    private func isFinished(at now: ContinuousClock.Instant) -> Bool {
        guard let pageDeadline else { return false }
        return isPageSent || now >= pageDeadline
    }

    private func nextDeadline(isAccepted: Bool) -> ContinuousClock.Instant? {
        var deadlines = connections.filter { $0.phase != .held }.map(\.deadline)
        if !isAccepted { deadlines.append(deadline) }
        if let pageDeadline { deadlines.append(pageDeadline) }
        return deadlines.min()
    }

    /// Ends slow requests, and connections that are never closed.
    private func expire(at now: ContinuousClock.Instant) {
        for index in connections.indices.reversed() where connections[index].deadline <= now {
            switch connections[index].phase {
            case .reading:
                // A connection opened in advance and never used needs no answer.
                if connections[index].received.isEmpty {
                    drop(index)
                } else {
                    refuse(.requestTimeout, on: index)
                }
            case .held: break
            case .sending, .closing: drop(index)
            }
        }
    }

    private func poll(until deadline: ContinuousClock.Instant?) {
        var entries = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        for connection in connections {
            let isSending = connection.phase == .sending
            // A held connection that closes would wake us repeatedly: writing to it shows that it
            // is closed.
            let events = isSending ? POLLOUT : connection.phase == .held ? 0 : POLLIN
            entries.append(
                pollfd(
                    fd: connection.phase == .held ? -1 : connection.descriptor,
                    events: Int16(events),
                    revents: 0
                )
            )
        }
        guard posixPoll(&entries, milliseconds: milliseconds(until: deadline)) > 0 else { return }
        if entries[0].revents != 0 { drainWakes() }
        for index in connections.indices.reversed() where entries[index + 2].revents != 0 {
            advance(index)
        }
        if entries[1].revents != 0 { acceptConnections() }
    }

    /// Rounded up, so that the deadline has passed when poll returns.
    private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let (seconds, attoseconds) = (deadline - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let rest = attoseconds / 1_000_000_000_000_000 + 1
        return Int32(min(seconds, 1_000_000) * 1000 + rest)
    }

    private func drainWakes() {
        var buffer = [UInt8](repeating: 0, count: 64)
        while read(wake, &buffer, buffer.count) > 0 {}
    }

    private func acceptConnections() {
        while let descriptor = LoopbackSocket.accept(listener) {
            if connections.count >= server.limits.connections {
                // An attacker who fills the table must not keep the browser out: the oldest is
                // dropped.
                guard let oldest = connections.firstIndex(where: { $0.phase != .held }) else {
                    _ = posixClose(descriptor)
                    continue
                }
                drop(oldest)
            }
            connections.append(
                Connection(descriptor: descriptor, deadline: .now + server.limits.request)
            )
        }
    }

    private func advance(_ index: Int) {
        switch connections[index].phase {
        case .reading: receive(on: index)
        case .held: break
        case .sending: flush(index)
        case .closing:
            if case .none = LoopbackSocket.receive(connections[index].descriptor) { return }
            if connections[index].isLast { isPageSent = true }
            drop(index)
        }
    }

    private func receive(on index: Int) {
        switch LoopbackSocket.receive(connections[index].descriptor) {
        case .none: return
        case .ended: drop(index)
        case .bytes(let bytes):
            connections[index].received += bytes
            let received = connections[index].received
            switch LoopbackRequest.read(received, authority: server.authority) {
            case .incomplete: return
            case .refused(let status): refuse(status, on: index)
            case .complete(let request): answer(request, on: index)
            }
        }
    }

    private func answer(_ request: LoopbackRequest, on index: Int) {
        if let page, request.target == donePath {
            connections[index].isLast = true
            return send(page.response(.ok), on: index)
        }
        guard request.path == server.path else { return refuse(.notFound, on: index) }
        guard server.accepts("http://\(server.authority)\(request.target)") else {
            return refuse(.badRequest, on: index)
        }
        connections[index].phase = .held
    }

    private func refuse(_ status: LoopbackStatus, on index: Int) {
        send(LoopbackPage.notAwaited.response(status), on: index)
    }

    private func send(_ bytes: [UInt8], on index: Int) {
        connections[index].phase = .sending
        connections[index].toSend = bytes[...]
        connections[index].deadline = .now + server.limits.request
        flush(index)
    }

    private func flush(_ index: Int) {
        let bytes = connections[index].toSend
        guard let count = LoopbackSocket.send(connections[index].descriptor, bytes) else {
            // Disconnected while sending: no one is left to receive the page.
            if connections[index].isLast { isPageSent = true }
            connections[index].phase = .closing
            connections[index].deadline = .now
            return
        }
        connections[index].toSend = bytes.dropFirst(count)
        guard connections[index].toSend.isEmpty else { return }
        LoopbackSocket.finishSending(connections[index].descriptor)
        connections[index].phase = .closing
        connections[index].deadline = .now + .seconds(1)
    }

    private func drop(_ index: Int) {
        if connections[index].isLast { isPageSent = true }
        _ = posixClose(connections[index].descriptor)
        connections.remove(at: index)
    }
}

private func posixPoll(_ entries: inout [pollfd], milliseconds: Int32) -> Int32 {
    poll(&entries, nfds_t(entries.count), milliseconds)
}
