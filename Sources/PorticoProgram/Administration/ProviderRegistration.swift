import Portico
import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoUpstream

/// Makes the record of an identity provider, new or changed: nothing of it is written before its
/// settings and its secret have been read as the server will read them.
struct ProviderRegistration {
    let ring: KeyRing
    let allowsStandIns: Bool
    let rules: IdentityRules

    enum Secret {
        case unchanged
        case none
        case given(SecretText)
        /// Not known yet, and so not checked: nothing is written.
        case later
    }

    /// - Throws: ``Failure``, `IdentityProviderRefusal`, `HandleProviderRefusal`, and `SealError` where the former secret does
    ///   not open any more.
    func callAsFunction(
        _ unchecked: ProviderRecord,
        secret: Secret,
        random: RandomSource
    ) throws -> ProviderRecord {
        var record = unchecked
        if record.kind == HandleProvider.kind {
            _ = try HandleProvider(record, rules)
            return record
        }
        let secrets = ProviderSecrets(ring: ring)
        switch secret {
        case .unchanged, .later: break
        case .none: record.sealedSecret = nil
        case .given(let text):
            record.sealedSecret = secrets.seal(text, for: record.name, random: random)
        }
        let provider: IdentityProvider
        do {
            provider = try IdentityProvider(record, allowingStandIns: allowsStandIns)
        } catch IdentityProviderRefusal.nameTaken {
            throw Failure(
                .refused,
                "The name \(record.name) is reserved for an address of the server: "
                    + "/v1/auth/\(record.name).",
                "Choose another: --name NAME"
            )
        }
        try checkName(of: provider)
        guard provider.scopes.contains(.openid) || [.apple, .facebook].contains(provider.kind)
        else {
            throw Failure(
                .refused,
                "The scopes must include openid: without it there is no ID Token.",
                "Nothing was written."
            )
        }
        if case .later = secret { return record }
        try provider.check(try secrets.open(record))
        return record
    }

    /// The notices of Google, Apple and Facebook come in under these names.
    private func checkName(of provider: IdentityProvider) throws(Failure) {
        let name = provider.name
        let vendor = IdentityProvider.Kind(rawValue: name)
        guard vendor == nil || vendor == provider.kind || vendor == .keycloak || vendor == .oidc
        else {
            throw Failure(
                .refused,
                "The name \(name) is that of another kind of provider.",
                "Choose another: --name NAME"
            )
        }
    }
}
