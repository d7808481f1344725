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
                + single.compactMap { StandardClaims.scope(of: $0.name) }.filter(client.mayHave)
        )
    }

    /// The part of `claims` that the client may have; the rest is ignored like a scope token
    /// (§5.5.1).
    var grantedClaims: RequestedClaims {
        RequestedClaims(request.claims) {
            StandardClaims.scope(of: $0).map(client.mayHave) ?? false
        }
    }

    /// The parameters for pages and pushed requests, without unsupported parts of `claims`. They
    /// are read again with the same limit, so the original is kept if it is shorter. What is of use in
    /// `id_token_hint` stands in its place: the token itself may be longer than an address.
    static func carried(_ form: FormParameters, _ claims: ClaimsRequest?, _ hint: IDTokenHint?)
        -> FormParameters
    {
        let compact = claims?.compact(keeping: StandardClaims.isStandard)
        return FormParameters(
            form.all.compactMap { parameter in
                if let hint, sameBytes(parameter.name, "id_token_hint") {
                    return (name: "id_token_hint", value: hint.carried)
                }
                guard sameBytes(parameter.name, "claims") else { return parameter }
                guard let compact else { return nil }
                let isShorter = compact.utf8.count < parameter.value.utf8.count
                return isShorter ? (name: "claims", value: compact) : parameter
            }
        )
    }
}
