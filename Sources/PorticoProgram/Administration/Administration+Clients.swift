import PorticoAdministration
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoProvider
import PorticoStores

extension Administration {
    /// A client that keeps the rules of registration; warns of what is allowed but unwise.
    func admit(_ client: Client, secret: ClientRegistration.Secret, in realm: Realm) async throws
        -> ClientRegistration.Admission
    {
        let former = try await realms.client(.id(client.id), realmID: realm.id)
        do {
            let admission = try await changing { changes in
                try await changes.admission(
                    of: client,
                    secret: secret,
                    replacing: former,
                    at: moment
                )
            }
            for warning in admission.warnings { console.warn("\(warning.words)") }
            if former == nil, realm.profile.takesDocuments, client.clientID.hasPrefix("https://") {
                console.warn(
                    "This client_id is an address: no document is read there, and people who let in an "
                        + "app by it are signed out of that app."
                )
            }
            return admission
        } catch let refusal as ClientRegistration.Refusal {
            switch refusal {
            case .idTokenAlgorithm(let algorithm), .accessTokenAlgorithm(let algorithm):
                let keys = try await realms.keys(realmID: realm.id)
                throw missingKey(algorithm, for: refusal.field, among: keys, in: realm)
            case .noRedirectURI:
                throw Failure(
                    .refused,
                    "\(refusal.field) is refused.",
                    "\(refusal.rule)",
                    "Name one: --redirect-uri \(client.exampleRedirect)"
                )
            case .redirectURI(let index, let reason) where client.handOff.form != .none:
                let isLegacy =
                    client.handOff.form == .code && [.dotlessScheme, .authority].contains(reason)
                throw Failure(
                    .refused,
                    "\(refusal.field) (number \(index + 1)) is refused.",
                    advice: ["\(refusal.rule)"]
                        + (isLegacy ? ["An app with --hand-off session-token can have it."] : [])
                )
            default: throw refusal
            }
        }
    }

    /// A realm signs with a key that it has.
    func expectKey(of realm: Realm, among keys: [SigningKeyRecord]) throws(Failure) {
        let algorithm = realm.signingAlgorithm
        let active = SigningKeyRecord.activeAlgorithms(of: keys, at: moment.seconds)
        guard !active.contains(algorithm) else { return }
        throw missingKey(algorithm, for: "signing_algorithm", among: keys, in: realm)
    }

    private func missingKey(
        _ algorithm: SignatureAlgorithm,
        for field: StaticString,
        among keys: [SigningKeyRecord],
        in realm: Realm
    ) -> Failure {
        let now = moment.seconds
        let waiting = keys.filter { $0.algorithm == algorithm && $0.activeFrom > now }
            .map(\.activeFrom).min()
        let command = portico(
            "keys rotate --alg \(algorithm.rawValue) --realm \(realm.name) --now"
        )
        return Failure(
            .refused,
            "\(field) is refused: realm \(realm.name) has no active key for "
                + "\(algorithm.rawValue).",
            advice: waiting.map {
                [
                    "A new key becomes active \(Times.relative($0, at: now)). "
                        + "To use it now: \(command)"
                ]
            } ?? ["Make one first: \(command)"]
        )
    }

    /// Says that logout notices to a private address need `--backchannel-allow`.
    ///
    /// - Parameter former: What the client was before.
    func sayWhereLogoutsGo(_ client: Client, replacing former: Client?) {
        guard let address = client.backchannelLogoutURI,
            address != former?.backchannelLogoutURI,
            address.isLoopback || address.host == "localhost",
            case let host = NamedHost(of: address),
            !installation.settings.backchannelAllow.contains(where: { NamedHost($0) == host })
        else { return }
        let place = "\(host.host):\(host.port)"
        console.say(
            "Logout notices reach \(place) only if the server may connect to it: "
                + portico("serve --backchannel-allow \(place)")
        )
    }
}

extension Client {
    /// What a redirect URI of such a client looks like: that of a server, of a page, or of an app.
    fileprivate var exampleRedirect: String {
        type == .public && webOrigins.isEmpty && staySignedIn != .session
            ? "com.example.app:/callback" : "https://app.example.com/callback"
    }

    /// What the app's developer has to know of the template's choice; `nil`: nothing.
    var demand: String? {
        guard grantTypes.contains(.authorizationCode) else { return nil }
        return switch codeProtection {
        case .pkce: "It must send PKCE (S256) with each sign-in."
        case .pkceOrNonce:
            "It must send PKCE (S256) or a nonce with each sign-in. "
                + "If it supports neither: --no-pkce"
        case .none: nil
        }
    }

    /// A hint for an app in a browser whose requests CORS would refuse; `nil`: nothing.
    var missingOrigin: String? {
        guard type == .public, webOrigins.isEmpty, handOff.form == .none,
            let redirect = redirectURIs.map(\.text).first(where: { $0.hasPrefix("https://") })
        else { return nil }
        let origin = ProductValues.origin(of: redirect)
        return "If it runs in a browser, add its origin: --web-origin \(origin)"
    }
}
