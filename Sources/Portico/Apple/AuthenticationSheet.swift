#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import PorticoSystem

    /// `ASWebAuthenticationSession`: the system's sheet with the person's own browser (RFC 8252
    /// appendix B.1, B.4).
    struct AuthenticationSheet: BrowserSheet {
        /// `nil` for a new window, which the system shows in the scene that is in front.
        let anchor: ASPresentationAnchor?
        let isEphemeral: Bool

        var takesHTTPS: Bool { SheetEnding.isHTTPSKnown }

        @MainActor
        func show(_ address: String, until ending: SheetEnding) async throws(SignInError) -> String
        {
            guard let url = URL(string: address) else {
                throw SignInError(.misconfigured(.addressNotOpenable))
            }
            let answer = FirstOutcome<Result<String, SignInError>>()
            // The session refers to it weakly, and ends when it is released itself.
            let provider = AnchorProvider(anchor ?? ASPresentationAnchor())
            let session = Self.session(url, ending, answer)
            session.presentationContextProvider = provider
            session.prefersEphemeralWebBrowserSession = isEphemeral
            guard session.start() else { throw SignInError(.misconfigured(.sheetNotShown)) }
            let result = await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                answer.tell(.failure(SignInError(.cancelled(.program))))
            }
            // Closes the sheet if it is still there.
            session.cancel()
            return try withExtendedLifetime(provider) { result }.get()
        }

        @MainActor
        private static func session(
            _ url: URL,
            _ ending: SheetEnding,
            _ answer: FirstOutcome<Result<String, SignInError>>
        ) -> ASWebAuthenticationSession {
            // `@Sendable`, because the system calls it on a queue of its own: a closure that
            // inherits the main actor would trap there.
            let completion: @Sendable (URL?, (any Error)?) -> Void = { url, error in
                guard let url else {
                    return answer.tell(.failure(SignInError(sheet: error, until: ending)))
                }
                answer.tell(.success(url.absoluteString))
            }
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
                return ASWebAuthenticationSession(
                    url: url,
                    callback: ending.callback,
                    completionHandler: completion
                )
            }
            return ASWebAuthenticationSession(
                url: url,
                callbackURLScheme: ending.scheme,
                completionHandler: completion
            )
        }
    }

    /// Not isolated: its window never changes.
    private final class AnchorProvider: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let anchor: ASPresentationAnchor

        init(_ anchor: ASPresentationAnchor) {
            self.anchor = anchor
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            anchor
        }
    }

    extension SignInMethod {
        /// Uses the system's sign-in sheet (`ASWebAuthenticationSession`; RFC 8252 appendix B.1,
        /// B.4). The client's redirect must be https or a private-use scheme.
        ///
        /// - Parameters:
        ///   - anchor: The window that the sheet stands in; `nil` suits an app with one window.
        ///   - isEphemeral: Whether the browser forgets the sign-in when the sheet closes. Other
        ///     apps then cannot share it, and the person is not asked whether the app may sign in.
        public static func sheet(
            in anchor: ASPresentationAnchor? = nil,
            isEphemeral: Bool = false
        ) -> SignInMethod {
            .sheet(AuthenticationSheet(anchor: anchor, isEphemeral: isEphemeral))
        }
    }
#endif
