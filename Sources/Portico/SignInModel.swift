public import Observation

/// Whether a person is signed in, for views.
///
/// Create one for each client, show its ``state-swift.property``, and call ``restore()`` when the
/// app starts and when it comes to the front again.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @Observable
public final class SignInModel {
    /// Signed in, signed out, or locked; `nil` until ``restore()`` has looked.
    public private(set) var state: RestoredSession?
    /// Whether a sign-in or a sign-out is under way.
    public private(set) var isBusy = false
    /// Why the last sign-in failed; `nil` if it did not, or was cancelled.
    public private(set) var error: SignInError?

    private let client: SignInClient

    /// Reads nothing yet.
    public init(_ client: SignInClient) {
        self.client = client
    }

    /// The session, if a person is signed in.
    public var session: Session? {
        if case .signedIn(let session) = state { session } else { nil }
    }

    /// Looks for a stored session, unless a person is signed in. Neither uses the network nor asks
    /// anything.
    public func restore() async {
        guard session == nil, !isBusy else { return }
        show(await client.restore())
    }

    /// Signs in, unless that is under way already.
    ///
    /// - Parameters:
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: How; in SwiftUI on Apple's systems, `signIn.method()` of the environment.
    public func signIn(
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .standard
    ) async {
        await busily {
            error = nil
            do throws(SignInError) {
                show(.signedIn(try await client.signIn(request, using: method)))
            } catch {
                if case .cancelled = error.kind { return }
                self.error = error
            }
        }
    }

    /// Signs out. The person is signed out here at once, whatever becomes of the rest.
    ///
    /// - Parameters:
    ///   - scope: How much is ended.
    ///   - method: Shows the provider's sign-out page, if `scope` includes it.
    /// - Returns: `nil` if nobody was signed in.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using method: SignInMethod = .standard
    ) async -> SignOutReport? {
        guard let session else { return nil }
        var report: SignOutReport?
        await busily { report = await session.signOut(scope, using: method) }
        return report
    }

    private func busily(_ work: () async -> Void) async {
        guard !isBusy else { return }
        isBusy = true
        await work()
        isBusy = false
    }

    private func show(_ restored: RestoredSession) {
        state = restored
        guard case .signedIn(let session) = restored else { return }
        Task { [weak self, changes = session.changes] in
            // Not `for await`: it calls what iOS 17 does not have.
            var iterator = changes.makeAsyncIterator()
            while let change = await iterator.next() {
                guard let self, self.session === session else { return }
                // The same session again: its person or roles may be new.
                if case .refreshed = change {
                    state = .signedIn(session)
                } else {
                    state = .signedOut
                }
            }
        }
    }
}
