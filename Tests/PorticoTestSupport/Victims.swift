import Foundation

/// Servers on this machine that no request may be led to: at a free port, and at those of the web
/// where they may be listened at.
package struct Victims: Sendable {
    /// Whether who comes to port 443 is seen: the only one that a guarded request could lead to. A test
    /// that proves nothing without it is skipped visibly, with ``needs443``.
    package static func areAt443() async -> Bool {
        let server = await listen(at: 443, within: 60)
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
        let secure = await Self.listen(at: 443, within: 300)
        // No guarded request leads there: what else listens at it is not waited for.
        let plain = await Self.listen(at: 80, within: 0)
        web = [secure, plain].compactMap(\.self)
    }

    /// Tests of several processes run side by side, and one of them has a port at a time: the others
    /// wait. `nil` where the port is not to be had.
    private static func listen(at port: UInt16, within seconds: Int) async -> LocalServer? {
        for _ in 0...seconds * 10 {
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

    /// Whether port 443 is one of them.
    package var areAt443: Bool { web.contains { $0.port == 443 } }

    /// Whether no request came, to any of them.
    package var isUntouched: Bool { ([free] + web).allSatisfy { $0.connections == 0 } }

    /// Ends listening; the ports are free for others soon after.
    package func stop() {
        for server in [free] + web { server.stop() }
    }
}
