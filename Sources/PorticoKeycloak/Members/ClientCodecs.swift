import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// How members of a client are read and written.
extension MemberCodec where Owner == Client {
    static var name: MemberCodec {
        value(
            \.name,
            read: { said, client, _ in said.text ?? client.clientID },
            written: { .string($0) }
        )
    }

    static var seesAllRoles: MemberCodec {
        value(
            \.seesAllRoles,
            read: { said, client, _ in said.bool ?? !client.requiresConsent },
            written: { .bool($0) }
        ).always
    }

    /// They are read and written with those of other protocols, which are kept.
    static var mappers: MemberCodec {
        var codec = part()
        codec.take = { $1.mappers = $0.mappers }
        return codec
    }

    // MARK: Proof

    static var enabled: MemberCodec {
        partSwitch(.proof, usual: true, \.isEnabled) { !ClientProof.isShut($0, $1.object) }
    }

    static var isPublic: MemberCodec { partSwitch(.proof, { $0.type == .public }).of(.grants) }

    static var authenticatorType: MemberCodec {
        part(
            .proof,
            isSame: { client, said in
                let type = said.text ?? "client-secret"
                return switch client.authentication {
                case _ where ClientProof.isShut(client, said.object): true
                case .none: true
                case .clientSecretBasic, .clientSecretPost: type.hasPrefix("client-secret")
                // Other proofs are kept as one that nothing passes.
                case .privateKeyJWT: type != "client-secret"
                }
            },
            written: { $0.authentication == .privateKeyJWT ? "client-jwt" : "client-secret" }
        )
    }

    static var bindsToCertificate: MemberCodec {
        // An import disables what was bound so. A command has enabled it, and binds nothing.
        part(.proof, isSame: { !$0.isEnabled || !$1.isOn })
    }

    static var keySet: MemberCodec {
        part(.proof, isSame: isKeySetSame) {
            $0.keySet.map { .string(String(decoding: $0.serialized(), as: UTF8.self)) }
        }
    }

    static var usesKeySet: MemberCodec {
        part(.proof, isSame: isKeySetSame) { _ in "true" }
    }

    @Sendable private static func isKeySetSame(_ client: Client, _ said: SaidMember) -> Bool {
        // `try?`: what cannot be read is not the one that is kept.
        let set = said.other("jwks.string").text.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        return client.keySet == nil || client.keySet == set
    }

    static var takesKeysFromURL: MemberCodec {
        // Beside that, an import takes none that stand in the file.
        part(.proof, isSame: { $0.keySet == nil || !$1.isOn })
    }

    // MARK: Grants

    static var standardFlow: MemberCodec {
        partSwitch(.grants, usual: true, { $0.grantTypes.contains(.authorizationCode) }) {
            !$1.isBearerOnly
        }
    }

    static var serviceAccount: MemberCodec {
        partSwitch(.grants, { $0.grantTypes.contains(.clientCredentials) }) {
            $0.type != .public && !$1.isBearerOnly
        }
    }

    static var refreshes: MemberCodec {
        part(
            .grants,
            isSame: { client, said in
                !client.grantTypes.contains(.authorizationCode)
                    || (said.text?.isTrue ?? true)
                        == client.grantTypes.contains(.refreshToken)
            },
            written: { .string("\($0.grantTypes.contains(.refreshToken))") }
        )
    }

    // MARK: Addresses

    static var redirectURIs: MemberCodec {
        part(.addresses, isSame: { _, _ in false }) { .texts($0.redirectURIs.map(\.text)) }
    }

    static var webOrigins: MemberCodec {
        part(.addresses, isSame: { _, _ in false }) { .texts($0.webOrigins) }
    }

    static var postLogoutRedirectURIs: MemberCodec {
        part(.addresses, isSame: { client, _ in client.postLogoutRedirectURIs.isEmpty }) {
            .string($0.postLogoutRedirectURIs.map(\.text).joined(separator: "##"))
        }
    }

    /// OpenID Connect Back-Channel Logout §2.2.
    static var backchannelLogoutURI: MemberCodec {
        MemberCodec(
            read: { said, client, report in
                client.backchannelLogoutURI = nil
                client.backchannelLogoutSessionRequired = false
                guard let text = said.text else { return }
                var candidate = client
                candidate.backchannelLogoutURI = HTTPAddress(text)
                guard candidate.hasAdmissibleBackchannelLogout else {
                    report.add(
                        .changed,
                        said.subject,
                        "its back-channel logout URL is not https: it is not told of logouts"
                    )
                    return
                }
                let session = said.other("backchannel.logout.session.required")
                candidate.backchannelLogoutSessionRequired = session.isOn
                client = candidate
            },
            isSame: { client, said in
                guard let now = client.backchannelLogoutURI else {
                    // One that is not admitted here stays in the file.
                    var former = client
                    former.backchannelLogoutURI = said.text.flatMap(HTTPAddress.init)
                    return !former.hasAdmissibleBackchannelLogout
                }
                return said.text.map { sameBytes($0, now.text) } ?? false
            },
            written: { $0.backchannelLogoutURI.map { .string($0.text) } },
            take: { $1.backchannelLogoutURI = $0.backchannelLogoutURI }
        )
    }

    static var backchannelLogoutSession: MemberCodec {
        value(
            \.backchannelLogoutSessionRequired,
            read: { said, client, _ in client.backchannelLogoutURI != nil && said.isOn },
            written: { $0 ? "true" : nil }
        )
    }

    // MARK: Tokens

    /// What the realm did not require stays optional (docs/decisions/0032).
    static var codeProtection: MemberCodec {
        MemberCodec(
            read: { said, client, report in
                let method = said.text
                client.codeProtection = method == nil ? .none : .pkce
                if let method, method != "S256" {
                    report.add(
                        .changed,
                        said.subject,
                        "must use PKCE with S256; the file asks for another method"
                    )
                }
            },
            isSame: { ($0.codeProtection == .pkce) == ($1.text != nil) },
            written: { $0.codeProtection == .pkce ? "S256" : nil },
            take: { $1.codeProtection = $0.codeProtection }
        )
    }

    static func algorithm(
        _ path: Path<SignatureAlgorithm?>,
        _ words: StaticString
    ) -> MemberCodec {
        value(
            path,
            read: { said, _, report in
                guard let name = said.text else { return nil }
                let algorithm = SignatureAlgorithm(rawValue: name)
                if algorithm == nil { report.add(.changed, said.subject, "\(words)") }
                return algorithm
            },
            written: { $0.map { .string($0.rawValue) } }
        )
    }

    /// `typ` of its access tokens: `JWT` in Keycloak, unless it requests that of RFC 9068 §2.1.
    static var accessTokenType: MemberCodec {
        value(
            \.accessTokenType,
            read: { said, _, _ in
                said.isOn ? .atJWT : .jwt
            },
            written: { $0 == .atJWT ? "true" : nil }
        )
    }

    /// Whether its access tokens have only what they need. A client that was made here stays as it was
    /// made.
    static var isLightweight: MemberCodec {
        MemberCodec(
            read: { said, client, _ in
                guard client.tokenForm != .standard else { return }
                client.tokenForm = said.isOn ? .lightweight : .mapped
            },
            isSame: { $1.isOn == ($0.tokenForm == .lightweight) },
            written: { $0.tokenForm == .lightweight ? "true" : nil },
            take: { $1.tokenForm = $0.tokenForm }
        )
    }

    static var acrLevels: MemberCodec {
        value(
            \.acrLevels,
            read: { said, _, _ in ACRLevels.read(said.text) },
            written: { $0.map { .string(ACRLevels.written($0)) } }
        )
    }

    static func relying(on rule: Compatibility) -> MemberCodec {
        setting(\.compatibility[rule]).ofAll
    }

    static var lifetime: MemberCodec {
        value(
            \.accessTokenLifetime,
            read: { said, _, report in
                guard let text = said.text else { return nil }
                guard let seconds = Int64(text), seconds > 0 else {
                    report.add(
                        .changed,
                        said.subject,
                        "its access token lifespan is no time; the realm's is used"
                    )
                    return nil
                }
                let bounds = Realm.Lifetimes.longestAccessToken
                let bounded = min(max(seconds, bounds.lowerBound), bounds.upperBound)
                if bounded != seconds {
                    report.add(
                        .changed,
                        said.subject,
                        "access tokens live \(bounded) seconds",
                        "more or less is out of bounds here"
                    )
                }
                return bounded
            },
            written: { $0.map { .string("\($0)") } }
        )
    }
}

extension SaidMember {
    fileprivate var isBearerOnly: Bool { other("bearerOnly").bool ?? false }
}

extension Compatibility {
    /// What every client of Keycloak's may rely on.
    package static let imported: Set<Compatibility> = [
        .needlessSecret, .repeatedSecret, .unknownPrompts, .strictScope, .fragments,
        .credentials, .requestedActions, .signOutRedirect, .refreshTokenClaims, .longNames,
    ]
}

extension Set<Compatibility> {
    fileprivate subscript(rule: Compatibility) -> Bool {
        get { contains(rule) }
        set { if newValue { insert(rule) } else { remove(rule) } }
    }
}
