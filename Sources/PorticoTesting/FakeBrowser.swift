public import Portico
import PorticoBytes

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
