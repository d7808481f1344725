import Portico
import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
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

extension ProviderRecord {
    /// What `portico provider` shows; members are only ever added. A secret never is one.
    func description(_ addresses: ProviderAddresses) -> Description {
        var json = item
        json["settings"] = .object(settings)
        json["redirect_uris"] = .array(addresses.redirectURIs.map { .string($0) })
        for notice in addresses.notices { json[notice.key] = .string(notice.address) }
        return Description(json: json, fields: fields + addresses.fields)
    }

    private var fields: [(name: String, value: String?)] {
        let shown: [(name: String, value: String?)] = [
            ("Provider", name), ("Kind", kind),
            ("State", obstacle.map { "\(state): \($0)" } ?? state), ("Place", "\(place)"),
            ("Secret", sealedSecret == nil ? "none" : "set, encrypted"), ("Button", displayName),
            ("Issuer", issuer),
        ]
        let origin = isOfFile ? [("From", String?.some("the realm's file"))] : []
        let settings = ProviderKind(self).map(ProviderTable.settings) ?? []
        return shown + origin
            + settings.filter { $0.row.setting != .displayName && $0.row.setting != .issuer }
            .compactMap { field(ProviderTable.label($0.row), $0.key) }
    }

    private func field(_ label: String, _ setting: String) -> (name: String, value: String?)? {
        guard let value = settings[setting] else { return nil }
        let text = value.strings.map { joined($0) ?? "" } ?? value.string
        return (label, text ?? String(decoding: value.serialized(), as: UTF8.self))
    }

    /// What `portico provider add` prints: the same JSON, and for people the addresses only.
    func registered(at addresses: ProviderAddresses) -> Description {
        Description(json: description(addresses).json, fields: addresses.fields)
    }

    var item: JSONObject {
        [
            "name": .string(name),
            "kind": .string(kind),
            "display_name": .string(displayName),
            "client_id": settings["clientID"] ?? .null,
            "issuer": issuer.map(JSONValue.string) ?? .null,
            "place": .integer(place),
            "enabled": .bool(isEnabled),
            "has_secret": .bool(sealedSecret != nil),
            "source": isOfFile ? "file" : "registered",
            "obstacle": obstacle.map(JSONValue.string) ?? .null,
        ]
    }

    var state: String { isEnabled ? "enabled" : "disabled" }

    var displayName: String { read?.displayName ?? settings.string("displayName") ?? name }

    /// The one that account keys hold.
    var issuer: String? { read?.canonicalIssuer ?? settings.string("issuer") }

    private var read: IdentityProvider? {
        // `try?`: a record that cannot be used is listed all the same, with what it has.
        try? IdentityProvider(self, allowingStandIns: true)
    }
}

/// The addresses of ours that are registered at an identity provider, exactly.
struct ProviderAddresses {
    let name: String
    let kind: IdentityProvider.Kind?
    private let isByHandle: Bool
    /// Of internet handles: whether we are a client with keys.
    private let hasKeys: Bool
    private let publicURL: String
    /// What its addresses begin with, in a realm that is not the backend's.
    private let base: String?

    /// - Parameter realm: `nil`: the backend's.
    init(_ record: ProviderRecord, publicURL: String, in realm: Realm? = nil) {
        name = record.name
        kind = IdentityProvider.Kind(rawValue: record.kind)
        isByHandle = record.kind == HandleProvider.kind
        hasKeys = isByHandle && record.settings.bool(HandleSetting.public.rawValue) != true
        self.publicURL = publicURL
        base = isByHandle ? nil : realm.map { "\($0.base)/broker/\(record.name)" }
    }

    var isOfRealm: Bool { base != nil }

    var callback: String {
        if let base { return "\(base)/endpoint" }
        return isByHandle
            ? publicURL + OwnClientDocument.callbackPath
            : "\(publicURL)/v1/auth/\(name)/callback"
    }

    /// Linking has an address of its own at the backend.
    var redirectURIs: [String] {
        isByHandle || isOfRealm ? [callback] : [callback, "\(callback)/link"]
    }

    /// Where the provider sends notices, by the provider's name for them.
    var notices: [(key: String, label: String, address: String)] {
        switch kind {
        case .keycloak, .oidc:
            [
                (
                    "backchannel_logout", "Back-channel logout",
                    "\(base ?? "\(publicURL)/v1/auth/\(name)")/backchannel-logout"
                )
            ]
        case .apple:
            [
                (
                    "notifications", "Server-to-server notifications",
                    "\(base ?? "\(publicURL)/v1/auth/apple")/notifications"
                )
            ]
        case .facebook:
            [
                (
                    "deauthorize", "Deauthorize callback",
                    "\(base ?? "\(publicURL)/v1/auth/facebook")/deauthorize"
                ),
                (
                    "data_deletion", "Data deletion request",
                    "\(base ?? "\(publicURL)/v1/auth/facebook")/data-deletion"
                ),
            ]
        case .google, nil: []
        }
    }

    /// All of them, as `portico provider add` prints them.
    var fields: [(name: String, value: String?)] {
        var fields: [(name: String, value: String?)] = redirectURIs.map { ("Redirect URI", $0) }
        if isByHandle {
            fields.append(("Client document", publicURL + OwnClientDocument.path))
            if hasKeys { fields.append(("Keys", publicURL + OwnClientDocument.keysPath)) }
        }
        for notice in notices { fields.append((notice.label, notice.address)) }
        return fields
    }
}
