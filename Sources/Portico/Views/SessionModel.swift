public import Observation

/// Whether a person is signed in, for views: a ``SignInModel`` or a ``BackendSignInModel``.
///
/// Create one for each client, show its ``state-swift.property``, and call ``restore()`` when the
/// app starts and when it comes to the front again.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @Observable
public final class SessionModel<Client: SessionClient> {
    /// Signed in, signed out, or locked; `nil` until ``restore()`` has looked.
    public private(set) var state: Restored<Client.Session>? {
        didSet { changes += 1 }
    }
    /// Whether a sign-in or a sign-out is under way.
    public private(set) var isBusy = false
    /// Why the last sign-in failed; `nil` if it did not, or was cancelled.
    public private(set) var error: SignInError?

    let client: Client
    /// How often the state has changed.
    @ObservationIgnored private var changes = 0

    /// Reads nothing yet.
    public init(_ client: Client) {
        self.client = client
    }

    /// The session, if a person is signed in.
    public var session: Client.Session? {
        if case .signedIn(let session) = state { session } else { nil }
    }

    /// Looks for a stored session, unless a person is signed in. Neither uses the network nor asks
    /// anything.
    public func restore() async {
        guard session == nil, !isBusy else { return }
        let changes = changes
        let restored = await client.restore()
        // What was found before a sign-in or a sign-out is out of date.
        guard changes == self.changes, !isBusy else { return }
        show(restored)
    }

    func signIn(_ sign: () async throws(SignInError) -> Client.Session) async {
        await busily {
            error = nil
            do throws(SignInError) {
                show(.signedIn(try await sign()))
            } catch {
                if case .cancelled = error.kind { return }
                self.error = error
            }
        }
    }

    func signOut(_ end: (Client.Session) async -> SignOutReport) async -> SignOutReport? {
        guard let session else { return nil }
        var report: SignOutReport?
        await busily { report = await end(session) }
        return report
    }

    private func busily(_ work: () async -> Void) async {
        guard !isBusy else { return }
        isBusy = true
        await work()
        isBusy = false
    }

    private func show(_ restored: Restored<Client.Session>) {
        state = restored
        guard case .signedIn(let session) = restored else { return }
        // Neither is kept for it: without the session the changes end.
        Task { [weak self, weak session, changes = session.changes] in
            // Not `for await`: it calls what iOS 17 does not have.
            var iterator = changes.makeAsyncIterator()
            while let change = await iterator.next() {
                self?.show(change, of: session)
            }
        }
    }

    private func show(_ change: SessionChange, of session: Client.Session?) {
        guard let session, self.session === session else { return }
        // The same session again: its person or roles may be new.
        if case .refreshed = change {
            state = .signedIn(session)
        } else {
            state = .signedOut
        }
    }
}

/// A client whose session a ``SessionModel`` shows: ``SignInClient`` or ``BackendClient``.
public protocol SessionClient: AnyObject, Sendable {
    /// ``Portico/Session`` or ``BackendSession``.
    associatedtype Session: ChangingSession

    /// Looks for a stored session, without the network.
    func restore() async -> Restored<Session>
}

/// A session that tells its changes: ``Session`` or ``BackendSession``.
public protocol ChangingSession: AnyObject, Sendable {
    /// Each call returns its own stream, which ends with the session.
    var changes: AsyncStream<SessionChange> { get }
}

extension SignInClient: SessionClient {}
extension BackendClient: SessionClient {}
extension Session: ChangingSession {}
extension BackendSession: ChangingSession {}
