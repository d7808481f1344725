import Dispatch
import PorticoBytes
import PorticoProtocol

/// Time that the system grants to finish something although the app is no longer in front.
///
/// A process that is suspended while it holds a lock on a file which other processes share is ended
/// by iOS (0xdead10cc). So a lock is taken only within such a time, and released when it is over:
/// at once, or after a write that is under way (``SessionLock/hold(during:)``).
final class ExpiringActivity: Sendable {
    /// Calls its argument with `false`, on a thread that may block, when the time is granted, and
    /// with `true` when it is over or not granted. The time lasts until the first call returns.
    typealias Granting = @Sendable (@escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    private struct State {
        var isExpired = false
        var onExpiry: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let done = DispatchSemaphore(value: 0)

    /// - Throws: transient(.suspending)
    static func begin(_ granting: Granting) async throws(SignInError) -> ExpiringActivity {
        let activity = ExpiringActivity()
        let isGranted = FirstOutcome<Bool>()
        granting { isExpired in
            guard !isExpired else {
                isGranted.tell(false)
                return activity.expire()
            }
            isGranted.tell(true)
            activity.done.wait()
        }
        guard await isGranted.value() else { throw suspending }
        return activity
    }

    private static var suspending: SignInError {
        SignInError(.transient(.suspending, retryAfter: nil))
    }

    func end() {
        state.withLock { $0.onExpiry = nil }
        done.signal()
    }

    /// A lock that ends this activity with it, and is released when the activity expires.
    ///
    /// - Throws: transient(.suspending) if it has expired already.
    func holding(_ lock: SessionLock) throws(SignInError) -> SessionLock {
        let isFree = DispatchSemaphore(value: 0)
        let held = SessionLock { [self] in
            lock.release()
            isFree.signal()
            end()
        }
        let isExpired = state.withLock { state in
            if !state.isExpired {
                state.onExpiry = { [weak held] in
                    held?.release()
                    isFree.wait()
                }
            }
            return state.isExpired
        }
        guard !isExpired else {
            held.release()
            throw Self.suspending
        }
        return held
    }

    private func expire() {
        let onExpiry = state.withLock { state in
            state.isExpired = true
            defer { state.onExpiry = nil }
            return state.onExpiry
        }
        onExpiry?()
        done.signal()
    }
}

extension Duration {
    /// How long to wait for the lock of a storage: longer than a refresh can hold it.
    ///
    /// It may be made twice (``KeptSession``). Each time, tokens are asked for where the provider was
    /// and where it is now, and at both once more if a proof needs a nonce (RFC 9449 §8); its metadata
    /// may be fetched before each of both and twice for the ID Token, and its keys once.
    static let refresh = Duration.seconds(2 * (4 * tokens + 4 * discovery + keys) + margin)

    /// A token endpoint, or the like of a backend.
    private static let tokens = max(
        ProviderProfile().tokenLimits.seconds,
        BackendEndpoint.limits.seconds
    )
    private static let discovery = Discovery.addresses * ProviderMetadata.limits.seconds
    private static let keys = RemoteProvider.keyLimits.seconds
    /// For the storage, and for revoking what comes after a sign-out.
    private static let margin = 60
}
