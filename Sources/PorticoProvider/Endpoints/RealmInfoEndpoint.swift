import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET /realms/{realm}`: what the realm is, for programs, and a page for people; and the addresses
/// that only lead on.
struct RealmInfoEndpoint: Sendable {
    let page: PageResponder

    func get(_ context: RealmContext) -> Response {
        var response =
            AcceptedMedia.isPage(context.headers)
            ? page(StartPage(), context)
            : Response(
                json: .object(info(of: context.realm, at: context.now)),
                headers: page.headers
            )
        response.headers.append(HTTPField(name: .vary, value: "Accept"))
        return response
    }

    /// `public_key` is the key of RS256, or of what the realm signs with: base64 of its
    /// `SubjectPublicKeyInfo`.
    private func info(of realm: LiveRealm, at now: Int64) -> JSONObject {
        var info: JSONObject = ["realm": .string(realm.name)]
        let key =
            realm.keys.active(.rs256, at: now)
            ?? realm.keys.active(realm.realm.signingAlgorithm, at: now)
        info["public_key"] = key.map {
            .string(Base64.encode($0.verificationKey.jwk.subjectPublicKeyInfo))
        }
        // Programs put "/token" behind it.
        info["token-service"] = .string(String(realm.urls.token.dropLast("/token".count)))
        info["account-service"] = .string(realm.urls.base + "/account")
        info["tokens-not-before"] = .integer(realm.notBefore)
        return info
    }

    /// `GET /realms/{realm}/clients/{client}/redirect`: to where a client's own pages begin.
    ///
    /// - Throws: 404 if there is none.
    func client(_ context: RealmContext) async throws -> Response {
        let realm = context.realm
        let clientID = String(context.target.segments[3])
        guard let client = try await realm.client(clientID: clientID),
            let home = realm.live(client).home, let redirect = Redirect(to: home)
        else { throw realm.notFound }
        return Response(redirect, headers: page.headers)
    }
}
