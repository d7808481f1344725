import Hummingbird
import PorticoWeb

/// The realm's metadata under both well-known names (OpenID Connect Discovery §3, RFC 8414 §2), and
/// its key set (RFC 7517 §5).
struct MetadataEndpoint: Sendable {
    let headers: SecurityHeaders

    /// How long others may keep both, in seconds: a new key is published for at least as long
    /// before anything is signed with it.
    static let maxAge = 300

    func get(_ visit: RealmVisit) -> Response {
        Response(
            publicJSON: visit.realm.metadata(at: visit.now),
            for: Self.maxAge,
            headers: headers
        )
    }

    func keys(_ visit: RealmVisit) -> Response {
        let published = visit.realm.keys.published(at: visit.now)
        return Response(publicJSON: published.keySet, for: Self.maxAge, headers: headers)
    }
}
