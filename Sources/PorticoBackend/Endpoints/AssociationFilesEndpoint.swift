import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The files that tell Apple's and Google's systems which app owns which links (SEED-ADR-19):
/// generated from the registered apps, `application/json`, no redirect.
struct AssociationFilesEndpoint: Sendable {
    let directory: BackendDirectory
    let headers: SecurityHeaders

    private static let freshness = 3600

    /// `/.well-known/apple-app-site-association`: `applinks` for universal links and
    /// `webcredentials` for `ASWebAuthenticationSession` with an https callback.
    func apple() -> Response {
        let apps = directory.apps.apps.filter { !$0.appleAppIDs.isEmpty }
        let details = apps.map { app -> JSONValue in
            [
                "appIDs": .array(app.appleAppIDs.map { .string($0) }),
                "components": .array(
                    Self.paths(of: app).map { ["/": .string($0), "comment": "Portico sign-in"] }
                ),
            ]
        }
        let ids = apps.flatMap(\.appleAppIDs)
        return document([
            "applinks": ["details": .array(details)],
            "webcredentials": ["apps": .array(ids.map { .string($0) })],
        ])
    }

    /// `/.well-known/assetlinks.json`: package names with the fingerprints of their certificates.
    func android() -> Response {
        let statements = directory.apps.apps.flatMap(\.androidApps).map { app -> JSONValue in
            [
                "relation": ["delegate_permission/common.handle_all_urls"],
                "target": [
                    "namespace": "android_app",
                    "package_name": .string(app.packageName),
                    "sha256_cert_fingerprints": .array(app.fingerprints.map { .string($0) }),
                ],
            ]
        }
        return document(.array(statements))
    }

    private func document(_ value: JSONValue) -> Response {
        Response(publicJSON: value.serialized(), for: Self.freshness, headers: headers)
    }

    /// The paths of the https redirects that an app registered.
    private static func paths(of app: App) -> [String] {
        let paths = app.redirectURIs.compactMap { text -> String? in
            guard text.hasPrefix("https://"), let address = HTTPAddress(text) else { return nil }
            // A browser requests "/" for an empty path (RFC 3986 §6.2.3).
            return address.path.isEmpty ? "/" : address.path
        }
        return paths.isEmpty ? ["/auth/callback"] : paths
    }
}
