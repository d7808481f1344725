import PorticoBytes
import PorticoProtocol

/// The single response that a pending sign-in accepts (RFC 8252 §8.9, RFC 9700 §4.2.4).
final class AwaitedResponse: Sendable {
    let expectation: AuthorizationResponse.Expectation
    private let meaning: @Sendable (ErrorResponse) -> SignInError
    private let log: ClientLog
    private let stage = Locked(Stage.waiting)

    private enum Stage {
        case waiting
        case answered(Result<SecretText, SignInError>)
        case used
    }

    /// - Parameter meaning: What an error in the response means for the app.
    init(
        _ expectation: AuthorizationResponse.Expectation,
        log: ClientLog,
        meaning: @escaping @Sendable (ErrorResponse) -> SignInError
    ) {
        self.expectation = expectation
        self.log = log
        self.meaning = meaning
    }

    /// Takes a URI, and only the first answer. Sends nothing.
    ///
    /// - Returns: Why the URI is ignored, or `nil` if it was the answer, successful or not.
    func receive(_ callback: String) -> SignInError.Check? {
        let refusal = refusal(of: callback)
        if let refusal { log.tell?(.callbackIgnored(refusal)) }
        return refusal
    }

    private func refusal(of callback: String) -> SignInError.Check? {
        stage.withLock { stage in
            guard case .waiting = stage else { return .alreadyUsed }
            do throws(AuthorizationResponse.Refusal) {
                switch try AuthorizationResponse(callback, expecting: expectation) {
                case .code(let code): stage = .answered(.success(code))
                case .error(let error): stage = .answered(.failure(meaning(error)))
                }
            } catch {
                guard !error.isIgnored else { return error.check }
                stage = .answered(.failure(SignInError(.rejected(error.check))))
            }
            return nil
        }
    }

    /// The received code. It can be taken once.
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
