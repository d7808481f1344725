package import PorticoBytes
package import PorticoSeals
package import PorticoStores
package import PorticoUpstream
import PorticoWeb

/// Stores providers' refresh tokens sealed, each for the identity it belongs to (WEB-BFF-1: none of
/// them leaves the server).
package struct ProviderTokens: Sendable {
    private let vault: SealedAtRest

    package init(ring: KeyRing) {
        vault = SealedAtRest(ring: ring, purpose: "provider token")
    }

    package func seal(_ token: SecretText, for key: IdentityKey, at moment: Moment) -> String {
        Base64URL.encode(
            vault.seal(Array(token.reveal().utf8), for: Self.owner(key), random: moment.random)
        )
    }

    package func open(_ identity: Identity) -> SecretText? {
        guard let text = identity.sealedToken, let key = identity.key,
            let sealed = Base64URL.decode(text),
            // `try?`: a token that can no longer be opened is lost, like a revoked one.
            let bytes = try? vault.open(sealed, for: Self.owner(key)),
            let token = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return SecretText(token)
    }

    private static func owner(_ key: IdentityKey) -> String {
        "\(key.issuer) \(key.subject)"
    }
}

extension SignInCompletion.Subject {
    /// A proven identity in its stored form.
    package init(
        _ person: ProvenPerson,
        provider: String,
        vault: ProviderTokens,
        _ context: SignInContext
    ) {
        let key = IdentityKey(issuer: person.issuer, subject: person.subject)
        self.init(
            identity: Identity(
                key: key,
                provider: provider,
                email: person.email.map {
                    Mailbox(
                        address: $0.address,
                        verification: person.isAuthoritative
                            ? .authoritative : $0.isVerified ? .vouched : .unverified,
                        isRelay: $0.isRelay
                    )
                },
                linkedAt: context.now,
                lastUsedAt: context.now,
                sealedToken: person.refreshToken.map {
                    vault.seal($0, for: key, at: context.moment)
                }
            ),
            name: person.name,
            picture: person.picture,
            providerSessionID: person.providerSessionID,
            provenAt: person.authenticatedAt
        )
    }
}

extension AccountRules {
    /// What an unknown person's address means (docs/decisions/0030).
    package func rule(for person: ProvenPerson) -> SignInEvent.EmailRule {
        if person.email?.isRelay == true { return .askFirst }
        switch person.matchesEmail {
        case .never: return .never
        case .ask: return .ask
        case .linkable: return linking == .auto ? .link : .ask
        }
    }
}
