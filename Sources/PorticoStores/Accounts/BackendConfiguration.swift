package import PorticoBytes
package import PorticoProtocol

/// An app that hands its people to the BFF and gets a session back (RFC 8252).
package struct App: Hashable, Sendable {
    package var id: UniqueID
    /// What requests name it by (`app=…`): lower-case letters, digits, `-`.
    package var name: String
    package var displayName: String
    /// Byte-exact; a loopback literal may come back on any port.
    package var redirectURIs: [String]
    package var handOff: HandOffForm
    /// Taken where a request names no app.
    package var isDefault: Bool
    /// `ABCDE12345.com.example.notes`: team and bundle id.
    package var appleAppIDs: [String]
    package var androidApps: [AndroidApp]
    /// Where the app can be had; https.
    package var storeLinks: [String]
    /// The audiences of native identity tokens by the name of the provider (PRV-G-3, PRV-N-1).
    package var audiences: [String: [String]]
    package var isEnabled: Bool

    package enum HandOffForm: String, Sendable {
        /// A one-time code (docs/decisions/0013).
        case code
        /// `?session_token=…` (docs/decisions/0013): a compatibility mode, warned about.
        case sessionToken = "session-token"
    }

    package struct AndroidApp: Hashable, Sendable {
        package var packageName: String
        /// SHA-256 fingerprints of signing certificates: `AA:BB:…`, 32 bytes.
        package var fingerprints: [String]

        package init(packageName: String, fingerprints: [String]) {
            self.packageName = packageName
            self.fingerprints = fingerprints
        }
    }

    package init(
        id: UniqueID,
        name: String,
        displayName: String,
        redirectURIs: [String],
        handOff: HandOffForm = .code,
        isDefault: Bool = false,
        appleAppIDs: [String] = [],
        androidApps: [AndroidApp] = [],
        storeLinks: [String] = [],
        audiences: [String: [String]] = [:],
        isEnabled: Bool = true
    ) {
        self.id = id
        self.name = name
        self.displayName = displayName
        self.redirectURIs = redirectURIs
        self.handOff = handOff
        self.isDefault = isDefault
        self.appleAppIDs = appleAppIDs
        self.androidApps = androidApps
        self.storeLinks = storeLinks
        self.audiences = audiences
        self.isEnabled = isEnabled
    }
}

/// An identity provider as it is configured. What it means is PorticoUpstream's business.
package struct ProviderRecord: Hashable, Sendable {
    /// What routes name it by: lower-case letters, digits, `-`.
    package var name: String
    /// `google`, `facebook`, `apple`, `keycloak` or `oidc`.
    package var kind: String
    /// Where its button stands; lower first.
    package var place: Int64
    package var isEnabled: Bool
    /// Everything else that is no secret: display name, issuer, client id, …
    package var settings: JSONObject
    /// The client secret or private key, sealed at rest.
    package var sealedSecret: String?

    package init(
        name: String,
        kind: String,
        place: Int64,
        isEnabled: Bool,
        settings: JSONObject,
        sealedSecret: String?
    ) {
        self.name = name
        self.kind = kind
        self.place = place
        self.isEnabled = isEnabled
        self.settings = settings
        self.sealedSecret = sealedSecret
    }
}

package struct BackendConfiguration: Hashable, Sendable {
    package var version: Int64
    /// In the order of names.
    package var apps: [App]
    /// In the order of places, then names.
    package var providers: [ProviderRecord]
    /// What we prove ourselves by at hosts of the AT Protocol, the newest first.
    package var handleKeys: [HandleClientKey]

    package init(
        version: Int64,
        apps: [App],
        providers: [ProviderRecord],
        handleKeys: [HandleClientKey]
    ) {
        self.version = version
        self.apps = apps
        self.providers = providers
        self.handleKeys = handleKeys
    }
}
