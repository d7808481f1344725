public import Portico
import PorticoBytes
public import PorticoSystem

/// The browser of the person: what was opened in it, and where it was sent at the end.
///
/// A client that was made for testing uses it by itself. An app that opens addresses on its own is
/// given it as its browser, and then the ``callback``.
public struct FakeBrowser: ExternalBrowser, ScriptedBrowser {
    let server: any FakeServer

    /// The addresses that were opened, oldest first.
    public var opened: [String] { server.shown.withLock { $0.opened } }

    /// Where the browser was sent last: the address that the system hands to the app. `nil` if the
    /// last page did not send it back.
    public var callback: String? { server.shown.withLock { $0.callback } }

    /// Shows a page of the fake, and has the person do what the test says.
    ///
    /// - Throws: misconfigured if the address is not the fake's.
    public func open(_ address: String) async throws {
        do {
            _ = try await show(address)
        } catch {
            // The app sees a browser that started; what the person does there is not its result.
            guard case .cancelled = error.kind else { throw error }
        }
    }

    package func show(_ address: String) async throws(SignInError) -> String? {
        server.shown.withLock { shown in
            shown.opened.append(address)
            shown.callback = nil
        }
        let callback = try server.answer(toBrowser: address)
        server.shown.withLock { $0.callback = callback }
        return callback
    }
}

struct Shown: Sendable {
    var opened: [String] = []
    var callback: String?
}

/// What the pages of a ``FakeBrowser`` are.
protocol FakeServer: AnyObject, Sendable {
    var shown: Locked<Shown> { get }

    /// - Returns: Where the browser is sent; `nil` if the page stays.
    func answer(toBrowser address: String) throws(SignInError) -> String?
}

extension SignInError {
    /// What the test did wrong, in words for its author.
    static func test(_ words: StaticString) -> SignInError {
        SignInError(.misconfigured(Hint(words)))
    }
}

/// A clock that stands until a test moves it.
public final class TestClock: Sendable {
    private let time: Locked<Date>

    /// - Parameter start: The same for every run by default, in January 2027.
    public init(at start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        time = Locked(start)
    }

    /// The time that the fake and its clients see.
    public var now: Date { time.withLock { $0 } }

    /// Moves the clock; a negative duration sets it back.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let interval = TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
        time.withLock { $0 = $0.addingTimeInterval(interval) }
    }
}

extension Duration {
    /// For ``TestClock/advance(by:)``.
    public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }
    /// For ``TestClock/advance(by:)``.
    public static func hours(_ count: Int) -> Duration { .minutes(60) * count }
    /// For ``TestClock/advance(by:)``.
    public static func days(_ count: Int) -> Duration { .hours(24) * count }
}
