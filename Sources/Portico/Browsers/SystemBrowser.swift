import Dispatch
import PorticoBytes
import PorticoProtocol
import PorticoSystem

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    import AppKit
#endif

/// The person's default browser: by `NSWorkspace` on macOS, by `xdg-open` elsewhere (RFC 8252
/// appendix B.4, B.5).
///
/// The address is passed as one argument, without a shell. On Linux the environment variable
/// `BROWSER` may name another program, which gets the address in the same manner.
public struct SystemBrowser: ExternalBrowser {
    let program: String
    private let localhost: LocalhostName

    /// Uses the program named by `BROWSER` now, or else the system's own.
    public init() {
        self.init(named: getenv("BROWSER").map { String(cString: $0) })
    }

    /// - Parameter program: A program's name or path, used instead of the system's own.
    package init(named program: String?, localhost: LocalhostName = .system) {
        self.localhost = localhost
        #if canImport(Darwin)
            self.program = "/usr/bin/open"
        #else
            self.program = program.flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
        #endif
    }

    /// Starts the browser, and waits up to two seconds for it to fail.
    ///
    /// - Parameter address: An https URL, or http on this machine.
    /// - Throws: misconfigured(.addressNotOpenable), misconfigured(.localhostElsewhere),
    ///   misconfigured(.noBrowser)
    public func open(_ address: String) async throws {
        // No file:, no javascript:, nothing that begins with a dash: only what can be a provider's.
        guard let parsed = HTTPAddress(address), parsed.isSecure || parsed.isThisMachine else {
            throw SignInError(.misconfigured(.addressNotOpenable))
        }
        do {
            _ = try await localhost.literals(for: parsed)
        } catch {
            throw SignInError(
                error == .elsewhere ? .misconfigured(.localhostElsewhere) : .cancelled(.program)
            )
        }
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
            // Works in the sandbox too, which lets an app start no program.
            guard let url = URL(string: address), NSWorkspace.shared.open(url) else {
                throw SignInError(.misconfigured(.noBrowser))
            }
        #elseif canImport(UIKit) && !targetEnvironment(macCatalyst)
            throw SignInError(.misconfigured(.noBrowser))
        #else
            guard let process = Subprocess.start(program, [address]) else {
                throw SignInError(.misconfigured(.noBrowser))
            }
            guard await ProgramStart.isSuccess(process, patience: .seconds(2)) else {
                throw SignInError(.misconfigured(.noBrowser))
            }
        #endif
    }
}
