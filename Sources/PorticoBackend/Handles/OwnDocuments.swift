import HTTPTypes
import PorticoATProtocol
import PorticoProtocol
import PorticoWeb

/// `GET /oauth-client-metadata.json` and `GET /oauth/jwks.json` identify us to hosts (AT Protocol,
/// OAuth, Clients). They fetch both at each sign-in and each refresh.
struct OwnDocuments: Sendable {
    let directory: BackendDirectory
    let headers: SecurityHeaders

    /// How long they may be kept, in seconds: less than a new key waits.
    private static let life = 60

    func metadata(_ context: BackendContext) throws(BackendError) -> Response {
        let live = try directory.liveHandles()
        var json = live.client.json
        for (name, value) in live.provider.links { json[name] = value }
        json["scope"] = .string(live.provider.listed(at: context.now).text)
        return Response(publicJSON: json.serialized(), for: Self.life, headers: headers)
    }

    func keys(_ context: BackendContext) throws(BackendError) -> Response {
        Response(
            publicJSON: try directory.liveHandles().keys.published.serialized(),
            for: Self.life,
            headers: headers
        )
    }
}
