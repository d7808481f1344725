/// How a client is an app of the backend: how it gets its session after a browser flow, and what it is known by on
/// devices (RFC 8252 §7, docs/decisions/0164).
package struct HandOffRules: Hashable, Sendable {
    package var form = HandOffForm.none
    /// Taken where a request names no app. One app at most is.
    package var isDefault = false
    /// `ABCDE12345.com.example.notes`: team and bundle id.
    package var appleAppIDs: [String] = []
    package var androidApps: [AndroidApp] = []
    /// What native identity tokens for it may be for (PRV-G-3, PRV-N-1).
    package var audiences: [NativeAudience] = []
    /// Where the app can be had; https.
    package var storeLinks: [String] = []

    package init() {}

    /// An Android app with a certificate that signs it. An app with several stands here several times.
    package struct AndroidApp: Hashable, Sendable {
        package var packageName: String
        /// SHA-256 of the certificate: `AA:BB:…`, 32 bytes.
        package var fingerprint: String

        package init(packageName: String, fingerprint: String) {
            self.packageName = packageName
            self.fingerprint = fingerprint
        }
    }

    /// A client id of the app at a provider.
    package struct NativeAudience: Hashable, Sendable {
        package var provider: String
        package var clientID: String

        package init(provider: String, clientID: String) {
            self.provider = provider
            self.clientID = clientID
        }
    }
}

/// How an app of the backend gets its session (docs/decisions/0013).
package enum HandOffForm: String, CaseIterable, Sendable {
    /// It is no app of the backend.
    case none
    /// By a one-time code.
    case code
    /// In the address that it is opened with (`?session_token=…`): a compatibility mode, warned about.
    case sessionToken = "session-token"
}
