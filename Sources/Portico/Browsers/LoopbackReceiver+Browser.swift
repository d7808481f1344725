extension LoopbackReceiver {
    private enum Step: Sendable {
        case opened(Result<Void, SignInError>)
        case answered(Result<Void, SignInError>)
    }

    /// Opens `address` in `browser` and waits for the answer to come back.
    ///
    /// - Throws: What the browser or the wait threw; the port is closed then.
    func response(
        timeout: Duration,
        opening address: String,
        in browser: any ExternalBrowser,
        isAwaited: @escaping @Sendable (String) -> Bool
    ) async throws(SignInError) {
        let result = await withTaskGroup(of: Step.self) { group in
            group.addTask { [self] in
                await .answered(
                    Result { () async throws(SignInError) in
                        try await response(timeout: timeout, isAwaited: isAwaited)
                    }
                )
            }
            group.addTask {
                do {
                    try await browser.open(address)
                    return .opened(.success(()))
                } catch {
                    return .opened(.failure(SignInError(opening: error)))
                }
            }
            for await step in group {
                switch step {
                case .opened(.success): continue
                case .opened(let result), .answered(let result):
                    group.cancelAll()
                    return result
                }
            }
            return .failure(SignInError(.cancelled(.program)))
        }
        if case .failure = result { close() }
        try result.get()
    }
}

extension SignInError {
    /// What a browser threw.
    init(opening error: any Error) {
        if let error = error as? SignInError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled(.program))
        } else {
            self.init(.misconfigured(.noBrowser))
        }
    }
}

extension Result where Success: Sendable {
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
