import PorticoProtocol
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// The files that tell Apple's and Google's systems which app owns which links (SEED-ADR-19):
/// generated from the registered apps, `application/json`, no redirect.
struct AssociationFilesEndpoint: Sendable {
    let directory: ProviderDirectory
    let headers: SecurityHeaders

    private static let freshness = 3600

    /// `/.well-known/apple-app-site-association`: `applinks` for universal links and
    /// `webcredentials` for `ASWebAuthenticationSession` with an https callback.
    func apple() -> Response {
        let apps = directory.apps.apps.filter { !$0.handOff.appleAppIDs.isEmpty }
        let details = apps.map { app -> JSONValue in
            [
                "appIDs": .array(app.handOff.appleAppIDs.map { .string($0) }),
                "components": .array(
                    Self.paths(of: app).map { ["/": .string($0), "comment": "Portico sign-in"] }
                ),
            ]
        }
        let ids = apps.flatMap(\.handOff.appleAppIDs)
        return document([
            "applinks": ["details": .array(details)],
            "webcredentials": ["apps": .array(ids.map { .string($0) })],
        ])
    }

    /// `/.well-known/assetlinks.json`: package names with the fingerprints of their certificates.
    func android() -> Response {
        let statements = directory.apps.apps.flatMap { app in
            // One statement for a package, with all its certificates.
            Dictionary(grouping: app.handOff.androidApps, by: \.packageName)
                .sorted { $0.key < $1.key }
        }
        return document(
            .array(
                statements.map { name, apps in
                    [
                        "relation": ["delegate_permission/common.handle_all_urls"],
                        "target": [
                            "namespace": "android_app",
                            "package_name": .string(name),
                            "sha256_cert_fingerprints": .array(
                                apps.map { .string($0.fingerprint) }
                            ),
                        ],
                    ]
                }
            )
        )
    }

    private func document(_ value: JSONValue) -> Response {
        Response(publicJSON: value.serialized(), for: Self.freshness, headers: headers)
    }

    /// The paths of the https redirects that an app registered.
    private static func paths(of app: Client) -> [String] {
        let paths = app.redirectURIs.filter { $0.kind == .https }.compactMap { uri -> String? in
            guard let address = HTTPAddress(uri.text) else { return nil }
            // A browser requests "/" for an empty path (RFC 3986 §6.2.3).
            return address.path.isEmpty ? "/" : address.path
        }
        return paths.isEmpty ? ["/auth/callback"] : paths
    }
}
