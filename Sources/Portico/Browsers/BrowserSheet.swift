import PorticoBytes
import PorticoProtocol

/// The system's own browser sheet: it shows an address, and closes with the URI that the browser
/// was redirected to (RFC 8252 §6, appendix B.1).
///
/// The app sees neither the pages nor the cookies.
protocol BrowserSheet: Sendable {
    /// Whether it can close on an https address.
    var takesHTTPS: Bool { get }

    /// Shows `address` until the browser is redirected to `ending`. Cancelling the task closes the
    /// sheet.
    ///
    /// - Returns: The whole URI. Whether it is the awaited answer is for the caller to decide.
    /// - Throws: cancelled(.user), cancelled(.program), misconfigured if it could not be shown.
    func show(_ address: String, until ending: SheetEnding) async throws(SignInError) -> String
}

/// The addresses that close a sheet.
enum SheetEnding: Hashable, Sendable {
    case https(host: String, path: String)
    case scheme(String)

    /// - Returns: `nil` for what no sheet can tell apart: http, or an https port of its own.
    init?(_ uri: String) {
        switch RedirectURI(uri).kind {
        case .privateUseScheme:
            // As browsers write it (RFC 3986 §6.2.2.1).
            self = .scheme(RedirectURI(uri).scheme.lowercased())
        case .https:
            guard let address = HTTPAddress(uri), address.port == 443 else { return nil }
            self = .https(host: address.host, path: address.path.isEmpty ? "/" : address.path)
        case .http, .loopback:
            return nil
        }
    }
}

extension Redirect {
    /// The redirect URI of a sign-in in `sheet`: https where it can be, because no other app can
    /// claim it (RFC 8252 §8.1).
    ///
    /// - Throws: misconfigured(.redirectNotForSheet)
    func target(of sheet: any BrowserSheet) throws(SignInError) -> (uri: String, SheetEnding) {
        for case .uri(let uri)? in [kind, fallback] {
            guard let ending = SheetEnding(uri) else { continue }
            if case .https = ending, !sheet.takesHTTPS { continue }
            return (uri, ending)
        }
        throw SignInError(.misconfigured(.redirectNotForSheet))
    }
}

/// What this system has to sign in with.
enum SystemSheet {
    /// The sheet that needs nothing of the app but a redirect.
    static var standard: (any BrowserSheet)? {
        #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
            AuthenticationSheet(anchor: nil, isEphemeral: false)
        #else
            nil
        #endif
    }

    /// Whether a loopback port is of no use: an app that is not in front is soon suspended there,
    /// and cannot answer on it.
    static var isOnlyMethod: Bool {
        #if canImport(UIKit) && !targetEnvironment(macCatalyst)
            true
        #else
            false
        #endif
    }
}

/// Shows an address to the person outside the app (RFC 8252 §5, §6).
///
/// The app never sees the pages or cookies of the browser: it passes an address, and the answer
/// comes back on the redirect URI. An embedded web view does not qualify (§8.12).
public protocol ExternalBrowser: Sendable {
    /// Returns once the browser is starting; does not wait for the person.
    ///
    /// - Parameter address: An https URL, or http on this machine.
    /// - Throws: Ends the sign-in. To continue with a message instead, do not throw.
    func open(_ address: String) async throws
}

extension ExternalBrowser where Self == SystemBrowser {
    /// The person's default browser (RFC 8252 §6).
    public static var systemBrowser: SystemBrowser { SystemBrowser() }
}

/// Passes the first of several outcomes to the one task that waits for it.
final class FirstOutcome<Outcome: Sendable>: Sendable {
    private let state = Locked<(told: Outcome?, waiting: CheckedContinuation<Outcome, Never>?)>(
        (nil, nil)
    )

    /// Outcomes after the first change nothing.
    func tell(_ outcome: Outcome) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.told == nil else { return nil }
            state.told = outcome
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: outcome)
    }

    /// To be called once.
    func value() async -> Outcome {
        await withCheckedContinuation { continuation in
            let told = state.withLock { state in
                if state.told == nil { state.waiting = continuation }
                return state.told
            }
            if let told { continuation.resume(returning: told) }
        }
    }
}
