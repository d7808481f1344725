#if canImport(AuthenticationServices) && canImport(SwiftUI)
    import AuthenticationServices
    import PorticoSystem
    public import SwiftUI

    /// Signs in from a SwiftUI view, in the sheet of its window:
    /// `@Environment(\.signIn) private var signIn`.
    @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
    public struct SignInAction: Sendable {
        let session: WebAuthenticationSession

        /// As ``SignInClient/signIn(_:using:)``.
        @MainActor public func callAsFunction(
            _ client: SignInClient,
            _ request: SignInRequest = SignInRequest()
        ) async throws(SignInError) -> Session {
            try await client.signIn(request, using: method())
        }

        /// As ``BackendClient/signIn(with:using:)``.
        @MainActor public func callAsFunction(
            _ client: BackendClient,
            with provider: String? = nil
        ) async throws(SignInError) -> BackendSession {
            try await client.signIn(with: provider, using: method())
        }

        /// As ``BackendClient/signIn(byHandle:using:)``.
        @MainActor public func callAsFunction(
            _ client: BackendClient,
            byHandle handle: String?
        ) async throws(SignInError) -> BackendSession {
            try await client.signIn(byHandle: handle, using: method())
        }

        /// The sheet of this view's window, for signing in and out.
        ///
        /// - Parameter isEphemeral: Whether the browser forgets the sign-in when the sheet closes.
        @MainActor public func method(isEphemeral: Bool = false) -> SignInMethod {
            .sheet(EnvironmentSheet(session: session, isEphemeral: isEphemeral))
        }
    }

    @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
    extension EnvironmentValues {
        /// Signs in in the sheet of this view's window.
        public var signIn: SignInAction {
            SignInAction(session: webAuthenticationSession)
        }
    }

    /// SwiftUI's `webAuthenticationSession`, which knows the window of the view.
    @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
    private struct EnvironmentSheet: BrowserSheet {
        let session: WebAuthenticationSession
        let isEphemeral: Bool

        var takesHTTPS: Bool { SheetEnding.isHTTPSKnown }

        @MainActor
        func show(_ address: String, until ending: SheetEnding) async throws(SignInError) -> String
        {
            guard let url = URL(string: address) else {
                throw SignInError(.misconfigured(.addressNotOpenable))
            }
            let answer = FirstOutcome<Result<String, SignInError>>()
            let showing = Task {
                do {
                    answer.tell(.success(try await open(url, until: ending).absoluteString))
                } catch {
                    answer.tell(.failure(SignInError(sheet: error, until: ending)))
                }
            }
            let result = await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                answer.tell(.failure(SignInError(.cancelled(.program))))
                showing.cancel()
            }
            return try result.get()
        }

        @MainActor
        private func open(_ url: URL, until ending: SheetEnding) async throws -> URL {
            if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) {
                return try await session.authenticate(
                    using: url,
                    callback: ending.callback,
                    preferredBrowserSession: isEphemeral ? .ephemeral : .shared,
                    additionalHeaderFields: [:]
                )
            }
            return try await session.authenticate(
                using: url,
                callbackURLScheme: ending.scheme,
                preferredBrowserSession: isEphemeral ? .ephemeral : .shared
            )
        }
    }
#endif
