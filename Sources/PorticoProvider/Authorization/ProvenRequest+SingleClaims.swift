import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Individual claims about the person, requested with `claims` (OpenID Connect Core §5.5). Each
/// counts as the scope token that it belongs to (§5.4): `claims` gives a client nothing, and
/// nothing without consent, that `scope` would not.
extension ProvenRequest {
    /// What a person is asked to allow: the scope, and the scope of individual claims (§3.1.2.4).
    var consentScope: Scope {
        let single = [request.claims?.idToken, request.claims?.userInfo].compactMap(\.self)
            .joined()
        return Scope(
            tokens: scope.tokens
                + single.compactMap { StandardClaims.scope(of: $0.name) }.filter(mayAsk)
        )
    }

    /// The part of `claims` that the client may have; the rest is ignored like a scope token
    /// (§5.5.1).
    var grantedClaims: RequestedClaims {
        RequestedClaims(request.claims) { StandardClaims.scope(of: $0).map(mayAsk) ?? false }
    }

    /// The parameters for pages and pushed requests, without unsupported parts of `claims`. They
    /// are read again with the same limit, so the original is kept if it is shorter.
    static func carried(_ form: FormParameters, _ claims: ClaimsRequest?) -> FormParameters {
        let compact = claims?.compact(keeping: StandardClaims.isStandard)
        return FormParameters(
            form.all.compactMap { parameter in
                guard sameBytes(parameter.name, "claims") else { return parameter }
                guard let compact else { return nil }
                let isShorter = compact.utf8.count < parameter.value.utf8.count
                return isShorter ? (name: "claims", value: compact) : parameter
            }
        )
    }

    private func mayAsk(_ token: String) -> Bool {
        client.optionalScopes.contains(token) || client.defaultScopes.contains(token)
    }
}
