import Foundation

/// Servers on this machine that no request may be led to: at a free port, and at those of the web
/// where they may be listened at.
package struct Victims: Sendable {
    /// Whether who comes to port 443 is seen: the only one that a guarded request could lead to. A test
    /// that proves nothing without it is skipped visibly, with ``needs443``.
    package static func areAt443() async -> Bool {
        let server = await listen(at: 443)
        server?.stop()
        return server != nil
    }

    package static let needs443 = "needs to listen at port 443 of 127.0.0.1"

    private let free: LocalServer
    private let web: [LocalServer]

    /// One that is listened at.
    package var port: UInt16 { free.port }

    package init() async throws {
        free = try LocalServer { _ in LocalServer.reply() }
        var web: [LocalServer] = []
        for port: UInt16 in [443, 80] {
            if let server = await Self.listen(at: port) { web.append(server) }
        }
        self.web = web
    }

    /// Tests of several processes run side by side, and one of them has a port at a time: the others
    /// wait. `nil` where the port is not to be had.
    private static func listen(at port: UInt16) async -> LocalServer? {
        for _ in 0..<600 {
            do {
                return try LocalServer(port: port) { _ in .silence }
            } catch {
                guard (error as? POSIXError)?.code == .EADDRINUSE else { return nil }
            }
            // `try?`: a test that is cancelled asks once more, and ends.
            try? await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }

    /// Whether no request came, to any of them.
    package var isUntouched: Bool { ([free] + web).allSatisfy { $0.connections == 0 } }

    /// Ends listening; the ports are free for others soon after.
    package func stop() {
        for server in [free] + web { server.stop() }
    }
}
