import Foundation

/// Servers on this machine that nobody may be led to: at a free port, and at those of the web where
/// they may be listened at.
package struct Victims: Sendable {
    /// Of all tests of this process: only one can have these ports.
    ///
    /// `try?`: whoever may not listen there does without, and ``areAt443`` says so.
    private static let web = [443, 80].compactMap { try? LocalServer(port: $0) { _ in .silence } }

    /// Whether who comes to port 443 is seen: the only one that a guarded request could lead to. A test
    /// that proves nothing without it is skipped visibly, with ``needs443``.
    package static let areAt443 = web.contains { $0.port == 443 }
    package static let needs443 = "needs to listen at port 443 of 127.0.0.1"

    private let free: LocalServer
    /// Those who came to the ports of the web before.
    private let before: Int

    /// One that is listened at.
    package var port: UInt16 { free.port }

    package init() throws {
        free = try LocalServer { _ in LocalServer.reply() }
        before = Self.came
    }

    private static var came: Int { web.reduce(0) { $0 + $1.connections } }

    /// Whether nobody came, to any of them.
    package var isUntouched: Bool { free.connections == 0 && Self.came == before }

    package func stop() { free.stop() }
}
