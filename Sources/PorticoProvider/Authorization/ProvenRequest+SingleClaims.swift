import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Single claims about the person, asked for by `claims` (OpenID Connect Core §5.5). Each counts as
/// the scope token that it belongs to (§5.4): `claims` gets a client nothing, and nothing unasked,
/// that `scope` would not.
extension ProvenRequest {
    /// What a person is asked to allow: the scope, and what single claims belong to (§3.1.2.4).
    var consentScope: Scope {
        let single = [request.claims?.idToken, request.claims?.userInfo].compactMap(\.self)
            .joined()
        return Scope(
            tokens: scope.tokens
                + single.compactMap { StandardClaims.scope(of: $0.name) }.filter(mayAsk)
        )
    }

    /// What the client may have of `claims`: the rest is left out like a scope token (§5.5.1).
    var grantedClaims: RequestedClaims {
        RequestedClaims(request.claims) { StandardClaims.scope(of: $0).map(mayAsk) ?? false }
    }

    /// The parameters without what nobody serves of `claims`: what pages and pushed requests carry on.
    /// It is read again, under the same bound: so what came stays where that is the shorter text.
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
