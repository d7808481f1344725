package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoUpstream

/// An identity provider of a realm's file, as what people sign in with. The file stays as it is: this only reads
/// it (docs/decisions/0169).
package enum FileProvider {
    /// What reads those of all realms.
    package static func files(ring: KeyRing) -> ProviderFiles {
        ProviderFiles(kind: IdentityProviderRepresentation.kind) { record($0, ring: ring) }
    }

    /// - Throws: where the key ring does not fit.
    package static func secret(of record: ProviderRecord, ring: KeyRing) throws -> SecretText? {
        guard let sealed = record.sealedSecret else { return nil }
        let secrets = try RealmPartSeal(ring: ring).open(
            sealed,
            of: IdentityProviderRepresentation.kind,
            id: record.name,
            realmID: record.realmID
        )
        guard let text = secrets.object("config")?.string("clientSecret"), !text.isEmpty else {
            return nil
        }
        // Apple's key stands there without its frame.
        let isKey = record.kind == IdentityProvider.Kind.apple.rawValue
        return SecretText(isKey ? pem(text) : text)
    }

    /// With another secret, or switched on or off, as its representation says that.
    ///
    /// - Parameters:
    ///   - secret: `nil`: as it is.
    ///   - isEnabled: The same.
    package static func changed(
        _ part: RealmPart,
        secret: SecretText?,
        isEnabled: Bool?,
        ring: KeyRing,
        random: RandomSource
    ) throws -> RealmPart {
        var whole = try RealmSecrets(ring: ring, areShown: true).whole(part)
        if let isEnabled { whole["enabled"] = .bool(isEnabled) }
        if let secret {
            var config = whole.object("config") ?? [:]
            config["clientSecret"] = .string(secret.reveal())
            whole["config"] = .object(config)
        }
        return RealmPartSeal(ring: ring).part(
            whole,
            of: part.kind,
            id: part.id,
            realmID: part.realmID,
            random: random
        )
    }

    private static func pem(_ text: String) -> String {
        guard !text.contains("-----BEGIN") else { return text }
        return "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----"
    }

    static func record(_ part: RealmPart, ring: KeyRing) -> ProviderRecord {
        let document = part.document
        let config = document.object("config") ?? [:]
        let providerID = document.string("providerId") ?? ""
        let kind = kind(of: providerID)
        var record = ProviderRecord(
            realmID: part.realmID,
            name: part.id,
            kind: kind?.rawValue ?? providerID,
            place: place(config),
            isEnabled: flag(document["enabled"]) ?? true,
            settings: kind.map { settings(of: $0, document, config) } ?? [:],
            sealedSecret: part.sealed
        )
        let obstacle = Self.obstacle(record, document, config, ring)
        record.source = .file(obstacle: obstacle)
        if obstacle != nil { record.isEnabled = false }
        record.isHidden =
            flag(document["hideOnLogin"]) ?? flag(config["hideOnLoginPage"]) ?? false
        return record
    }

    /// Behind those that are registered here.
    private static func place(_ config: JSONObject) -> Int64 {
        let order = config.string("guiOrder").flatMap { Int64($0) }
        return 1_000_000 + min(max(order ?? 1_000_000, 0), 1_000_000)
    }

    private static func kind(of providerID: String) -> IdentityProvider.Kind? {
        switch providerID {
        case "keycloak-oidc": .keycloak
        case "oidc", "google", "facebook", "apple": IdentityProvider.Kind(rawValue: providerID)
        default: nil
        }
    }

    private static func settings(
        of kind: IdentityProvider.Kind,
        _ document: JSONObject,
        _ config: JSONObject
    ) -> JSONObject {
        var settings = JSONObject()
        func set(_ setting: ProviderSetting, _ value: JSONValue?) {
            guard kind.settings.contains(setting), let value else { return }
            settings[setting.rawValue] = value
        }
        func text(_ name: String) -> String? {
            config.string(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        set(.clientID, text("clientId").map(JSONValue.string))
        set(.displayName, document.string("displayName").flatMap { $0.isEmpty ? nil : .string($0) })
        set(.issuer, text("issuer").map(JSONValue.string))
        set(.teamID, text("teamId").map(JSONValue.string))
        set(.keyID, kind == .apple ? text("keyId").map(JSONValue.string) : nil)
        if let scopes = text("defaultScope").map(words), !scopes.isEmpty {
            let needsOpenID = kind != .apple && kind != .facebook && !scopes.contains("openid")
            set(.scopes, .texts((needsOpenID ? ["openid"] : []) + scopes))
        }
        if let domains = text("hostedDomain") {
            set(.hostedDomains, .texts(domains.split { $0 == "," || $0 == " " }.map(String.init)))
        }
        switch text("clientAuthMethod") {
        case "client_secret_post": set(.authentication, "client_secret_post")
        case "client_secret_basic": set(.authentication, "client_secret_basic")
        default: break
        }
        let usesS256 = flag(config["pkceEnabled"]) == true && text("pkceMethod") == "S256"
        if usesS256 { set(.pkceUnannounced, true) }
        if HTTPAddress(text("issuer") ?? "")?.isThisMachine == true {
            set(.allowInsecureLoopback, true)
        }
        return settings
    }

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }

    /// Texts or literals: Keycloak writes both.
    private static func flag(_ value: JSONValue?) -> Bool? {
        value?.bool ?? value?.string.map { $0 == "true" }
    }

    /// Why no one can sign in with it.
    private static func obstacle(
        _ record: ProviderRecord,
        _ document: JSONObject,
        _ config: JSONObject,
        _ ring: KeyRing
    ) -> String? {
        guard let kind = IdentityProvider.Kind(rawValue: record.kind) else {
            return "the kind \(record.kind) is not supported"
        }
        if flag(document["linkOnly"]) == true { return "it is for linking only" }
        // Both narrow whom it lets in.
        if config.string("hostedDomain") == "*" {
            return "it takes people of any Workspace domain (*): name the domains"
        }
        if flag(config["filteredByClaim"]) == true {
            return "it admits people by a claim"
        }
        if document.string("postBrokerLoginFlowAlias")?.isEmpty == false {
            return "a flow follows its sign-in (postBrokerLoginFlowAlias)"
        }
        if document.string("organizationId") != nil || config.string("kc.org.domain") != nil {
            return "it is an organisation's"
        }
        let method = config.string("clientAuthMethod") ?? ""
        guard ["", "client_secret_post", "client_secret_basic"].contains(method) else {
            return "it authenticates by \(method)"
        }
        do {
            let provider = try IdentityProvider(
                name: record.name,
                kind: kind,
                settings: record.settings
            )
            let secret = try Self.secret(of: record, ring: ring)
            if let secret, RealmSecrets.isMask(secret.reveal()) {
                return "the export masked its secret: set it"
            }
            if secret?.reveal().hasPrefix("${vault.") == true {
                return "its secret is in a vault: set it"
            }
            if secret == nil, kind != .oidc, kind != .keycloak { return "it has no secret: set it" }
            try provider.check(secret.map { try ProviderSecret($0) })
            return nil
        } catch let refusal as IdentityProviderRefusal {
            return refusal.description
        } catch {
            return "its secret does not open with the key ring"
        }
    }
}
