import PorticoBytes
import PorticoPages
import PorticoProtocol

extension FoundAccountPage.Notice {
    /// The outcome of a sign-in that had to prove the account; `nil` if none was tried.
    init?(_ query: FormParameters, _ ways: SignInMethods) {
        guard let label = query["provider"].flatMap({ ways.label($0) }) else { return nil }
        switch query["reason"].flatMap({ SignInFailure.Reason(wire: $0) }) {
        case .userDeniedPermission?: self = .stopped(label)
        case .notReauthenticated?: self = .notReauthenticated(label)
        default: return nil
        }
    }

    static func isToldOf(_ reason: SignInFailure.Reason) -> Bool {
        reason == .userDeniedPermission || reason == .notReauthenticated
    }
}
