/// The result of looking for a stored session, at a provider or at a backend.
public enum Restored<Session: Sendable>: Sendable {
    /// A session is stored. If the server has ended it since, the first refresh finds out.
    case signedIn(Session)
    /// No session is stored, or it belongs to another server or client, or it cannot be parsed.
    case signedOut
    /// A session may be stored but cannot be read now. This is not "signed out".
    case locked(SignInError.StorageProblem)
}
