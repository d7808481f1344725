import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A person's second factors that a sign-in asks for.
///
/// One that cannot be checked is asked for all the same, and no code is right: a person is not let
/// in with less because something is broken.
struct SecondFactors: Sendable {
    private let credentials: [Credential]

    /// - Returns: `nil` where there are none.
    init?(_ all: [Credential]) {
        credentials = all.filter { $0.kind != .other }
        guard !credentials.isEmpty else { return nil }
    }

    var hasApp: Bool { credentials.contains { $0.kind == .totp } }
    var hasRecoveryCodes: Bool { credentials.contains { $0.kind == .recoveryCodes } }

    /// What the code that was typed takes away, where it is one of theirs. It may be spent.
    ///
    /// - Parameter drift: As for ``OneTimePassword/step(of:at:drift:)``.
    func use(of typed: String, _ seal: CredentialSeal, at now: Int64, drift: Int64)
        -> CredentialUse?
    {
        for credential in credentials {
            // `try?`: what does not open is never right.
            guard let secret = try? seal.open(credential.sealedSecret, of: credential.id) else {
                continue
            }
            switch credential.kind {
            case .totp:
                let password = OneTimePassword(credential.parameters, secret: secret)
                if let step = password?.step(of: typed, at: now, drift: drift) {
                    return CredentialUse(id: credential.id, spent: .step(step))
                }
            case .recoveryCodes:
                let codes = RecoveryCodes(credential.parameters, secret: secret)
                if let place = codes?.place(of: typed) {
                    return CredentialUse(id: credential.id, spent: .code(place))
                }
            case .other: continue
            }
        }
        return nil
    }
}
