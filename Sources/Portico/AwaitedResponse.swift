import PorticoBytes
import PorticoProtocol

/// The one response that a sign-in under way waits for (RFC 8252 §8.9, RFC 9700 §4.2.4).
final class AwaitedResponse: Sendable {
    let expectation: AuthorizationResponse.Expectation
    private let meaning: @Sendable (OAuthError.Code) -> SignInError
    private let stage = Locked(Stage.waiting)

    private enum Stage {
        case waiting
        case answered(Result<SecretText, SignInError>)
        case used
    }

    /// - Parameter meaning: What an error in the response means for the app.
    init(
        _ expectation: AuthorizationResponse.Expectation,
        meaning: @escaping @Sendable (OAuthError.Code) -> SignInError
    ) {
        self.expectation = expectation
        self.meaning = meaning
    }

    /// Takes a URI, and the first answer only. Nothing is sent anywhere.
    ///
    /// - Returns: Why the URI is ignored, or `nil`: it was the answer, good or bad.
    func receive(_ callback: String) -> SignInError.Check? {
        stage.withLock { stage in
            guard case .waiting = stage else { return .alreadyUsed }
            do throws(AuthorizationResponse.Refusal) {
                switch try AuthorizationResponse(callback, expecting: expectation) {
                case .code(let code): stage = .answered(.success(code))
                case .error(let code): stage = .answered(.failure(meaning(code)))
                }
            } catch {
                guard !error.isIgnored else { return error.check }
                stage = .answered(.failure(SignInError(.rejected(error.check))))
            }
            return nil
        }
    }

    /// The code that came, once.
    func takeCode() throws(SignInError) -> SecretText {
        let answer = stage.withLock { stage -> Result<SecretText, SignInError> in
            guard case .answered(let answer) = stage else {
                return .failure(SignInError(.rejected(.alreadyUsed)))
            }
            stage = .used
            return answer
        }
        return try answer.get()
    }
}
