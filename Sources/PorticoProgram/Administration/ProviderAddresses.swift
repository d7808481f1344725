import PorticoATProtocol
import PorticoBackend
import PorticoProtocol
import PorticoStores
import PorticoUpstream

/// The addresses of ours that are registered at an identity provider, exactly.
struct ProviderAddresses {
    let name: String
    let kind: IdentityProvider.Kind?
    private let isByHandle: Bool
    /// Of internet handles: whether we are a client with keys.
    private let hasKeys: Bool
    /// Without a slash at the end.
    let publicURL: String

    init(_ record: ProviderRecord, publicURL: String) {
        name = record.name
        kind = IdentityProvider.Kind(rawValue: record.kind)
        isByHandle = record.kind == HandleProvider.kind
        hasKeys = isByHandle && record.settings.bool(HandleSetting.public.rawValue) != true
        self.publicURL = publicURL
    }

    /// Where a sign-in returns to.
    var callback: String {
        isByHandle
            ? publicURL + OwnClientDocument.callbackPath
            : "\(publicURL)/v1/auth/\(name)/callback"
    }
    /// Where linking another sign-in method returns to.
    var linkCallback: String { "\(callback)/link" }

    var redirectURIs: [String] { isByHandle ? [callback] : [callback, linkCallback] }

    /// Where the provider sends notices, by the provider's name for them.
    var notices: [(key: String, label: String, address: String)] {
        switch kind {
        case .keycloak, .oidc:
            [
                (
                    "backchannel_logout", "Back-channel logout",
                    "\(publicURL)/v1/auth/\(name)/backchannel-logout"
                )
            ]
        case .apple:
            [
                (
                    "notifications", "Server-to-server notifications",
                    "\(publicURL)/v1/auth/apple/notifications"
                )
            ]
        case .facebook:
            [
                (
                    "deauthorize", "Deauthorize callback",
                    "\(publicURL)/v1/auth/facebook/deauthorize"
                ),
                (
                    "data_deletion", "Data deletion request",
                    "\(publicURL)/v1/auth/facebook/data-deletion"
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
