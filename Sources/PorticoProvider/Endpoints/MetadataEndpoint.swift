import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The realm's metadata under both well-known names (OpenID Connect Discovery §3, RFC 8414 §2), and
/// its key set (RFC 7517 §5).
struct MetadataEndpoint: Sendable {
    let headers: SecurityHeaders

    /// How long both may be cached, in seconds: a new key is published for at least this long
    /// before anything is signed with it.
    static let maxAge = 300

    func get(_ context: RealmContext) -> Response {
        Response(
            publicJSON: context.realm.metadata(at: context.now),
            for: Self.maxAge,
            headers: headers
        )
    }

    /// OpenID Connect has nothing to say of endpoints of OAuth alone.
    func openID(_ context: RealmContext) throws -> Response {
        guard context.realm.realm.profile.endpoints == .openIDConnect else { throw NotFound() }
        return get(context)
    }

    /// `GET /.well-known/oauth-protected-resource` (RFC 9728 §3).
    func resource(_ context: RealmContext) throws -> Response {
        let realm = context.realm
        guard let document = OAuthMetadata.resource(of: realm.realm, at: realm.urls) else {
            throw NotFound()
        }
        return Response(publicJSON: document.serialized(), for: Self.maxAge, headers: headers)
    }

    func keys(_ context: RealmContext) -> Response {
        let published = context.realm.keys.published(at: context.now)
        return Response(publicJSON: published.keySet, for: Self.maxAge, headers: headers)
    }
}
