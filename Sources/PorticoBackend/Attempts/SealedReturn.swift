import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A return that was sealed, as it was then: only today's register makes a ``SignInReturn`` of it
/// (docs/decisions/0092).
struct SealedReturn: Sendable {
    private let sealed: SignInReturn

    init(encoded: [UInt8]) throws(ByteReader.Malformed) {
        sealed = try SignInReturn(encoded: encoded)
    }

    /// - Throws: `invalid_app` and `not_found`, as ``SignInReturn/judged(by:)``.
    func judged(by directory: BackendDirectory) throws(BackendError) -> SignInReturn {
        try sealed.judged(by: directory)
    }
}

extension SignInReturn {
    /// The same return, if it could begin today: its provider is enabled, and its app, with that
    /// redirect, which takes its session in the address only where that is still its way.
    ///
    /// - Throws: `invalid_app`, `not_found`.
    func judged(by directory: BackendDirectory) throws(BackendError) -> SignInReturn {
        let isHandle = sameBytes(provider, HandleProvider.kind) && directory.handles != nil
        guard isHandle || directory.provider(named: provider) != nil else {
            throw BackendError(.notFound, "The sign-in was at a provider that is gone.")
        }
        if case .app(let target) = destination, !directory.apps.takes(target) {
            throw BackendError(
                .invalidApp,
                "The app that the sign-in was for is not registered so any more."
            )
        }
        return self
    }
}
