#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import PorticoProtocol
    import PorticoSystem

    extension NativeSignIn {
        /// Puts this attempt's nonce into Apple's request, and asks for name and address.
        ///
        /// For SwiftUI's `SignInWithAppleButton`, which makes the request itself: begin with
        /// ``BackendClient/beginNative(with:)`` before the button is shown, and hand the answer to
        /// `complete(_:)`.
        public func prepare(_ request: ASAuthorizationAppleIDRequest) {
            request.nonce = hashedNonce
            request.requestedScopes = [.fullName, .email]
        }

        /// As ``complete(idToken:authorizationCode:name:)``, with Apple's answer.
        ///
        /// - Throws: rejected(.idTokenMissing) if it is no answer of Sign in with Apple.
        public func complete(_ authorization: ASAuthorization) async throws(SignInError)
            -> BackendSession
        {
            try await complete(AppleAnswer(authorization))
        }

        fileprivate func complete(_ answer: AppleAnswer) async throws(SignInError)
            -> BackendSession
        {
            guard let idToken = answer.idToken else {
                throw SignInError(.rejected(.idTokenMissing))
            }
            return try await complete(
                idToken: idToken,
                authorizationCode: answer.code,
                name: answer.name
            )
        }
    }

    extension BackendClient {
        /// Signs a person in with Apple, in the system's own sheet, and keeps the session.
        ///
        /// The app needs the entitlement `com.apple.developer.applesignin`, and the backend the app's
        /// bundle ID among the audiences of its provider.
        ///
        /// - Parameters:
        ///   - provider: The backend's name for Apple.
        ///   - anchor: The window that the sheet stands in; `nil` suits an app with one window.
        /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
        @MainActor
        public func signInWithApple(
            as provider: String = "apple",
            in anchor: ASPresentationAnchor? = nil
        ) async throws(SignInError) -> BackendSession {
            let attempt = try await beginNative(with: provider)
            let request = ASAuthorizationAppleIDProvider().createRequest()
            attempt.prepare(request)
            return try await attempt.complete(
                try await AppleSheet(anchor ?? ASPresentationAnchor()).answer(to: request)
            )
        }
    }

    /// What Apple answered, as far as the backend needs it.
    private struct AppleAnswer: Sendable {
        let idToken: String?
        let code: String?
        let name: NativeSignIn.PersonName?

        init(_ authorization: ASAuthorization) {
            let credential = authorization.credential as? ASAuthorizationAppleIDCredential
            idToken = credential?.identityToken.map { String(decoding: $0, as: UTF8.self) }
            code = credential?.authorizationCode.map { String(decoding: $0, as: UTF8.self) }
            name = credential?.fullName.map {
                NativeSignIn.PersonName(given: $0.givenName, family: $0.familyName)
            }
        }
    }

    /// The system's sheet for Sign in with Apple. What it calls back is not isolated: on which queue, it
    /// does not promise.
    private final class AppleSheet: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        private let anchor: ASPresentationAnchor
        private let outcome = FirstOutcome<Result<AppleAnswer, SignInError>>()

        init(_ anchor: ASPresentationAnchor) {
            self.anchor = anchor
        }

        @MainActor
        func answer(to request: ASAuthorizationAppleIDRequest) async throws(SignInError)
            -> AppleAnswer
        {
            let controller = ASAuthorizationController(authorizationRequests: [request])
            // The controller refers to both weakly.
            controller.delegate = self
            controller.presentationContextProvider = self
            controller.performRequests()
            let outcome = outcome
            let result = await withTaskCancellationHandler {
                await outcome.value()
            } onCancel: {
                outcome.tell(.failure(SignInError(.cancelled(.program))))
            }
            // Closes the sheet if it is still there.
            controller.cancel()
            return try withExtendedLifetime(self) { result }.get()
        }

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            anchor
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController,
            didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            outcome.tell(.success(AppleAnswer(authorization)))
        }

        nonisolated func authorizationController(
            controller: ASAuthorizationController,
            didCompleteWithError error: any Error
        ) {
            let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
            outcome.tell(
                .failure(
                    SignInError(
                        isCancelled ? .cancelled(.user) : .misconfigured(.appleSignInRefused)
                    )
                )
            )
        }
    }
#endif
