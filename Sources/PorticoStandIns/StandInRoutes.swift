import HTTPTypes
import PorticoWeb

extension StandInService {
    /// The routes, with the real providers' paths.
    static func routes(_ dispatch: StandInDispatch) -> [Route<RequestContext>] {
        func at(
            _ kind: StandInKind,
            _ paths: String...,
            by methods: [HTTPRequest.Method],
            _ endpoint: StandInEndpoint
        ) -> [Route<RequestContext>] {
            paths.flatMap { path in
                let path = RoutePath("/\(kind.rawValue)/\(path)")
                return Route.any(of: methods, path, for: .people) {
                    try await dispatch.answer($0, kind, endpoint)
                }
            }
        }
        // Graph accepts requests with or without a version in the path.
        func graph(
            _ path: String,
            by methods: [HTTPRequest.Method],
            _ endpoint: StandInEndpoint
        ) -> [Route<RequestContext>] {
            at(.facebook, path, "{version}/" + path, by: methods, endpoint)
        }
        let everywhere = StandInKind.allCases.flatMap { kind in
            at(kind, "picture/{person}", by: [.get], .picture)
        }
        let google =
            at(.google, ".well-known/openid-configuration", by: [.get], .discovery)
            + at(.google, "o/oauth2/v2/auth", by: [.get, .post], .authorization)
            + at(.google, "token", by: [.post], .token)
            + at(.google, "oauth2/v3/certs", by: [.get], .keys)
            + at(.google, "v1/userinfo", by: [.get, .post], .userInfo)
            + at(.google, "revoke", by: [.post], .revocation)
        let apple =
            at(.apple, "auth/authorize", by: [.get, .post], .authorization)
            + at(.apple, "auth/token", by: [.post], .token)
            + at(.apple, "auth/keys", by: [.get], .keys)
            + at(.apple, "auth/revoke", by: [.post], .revocation)
        let openID =
            at(.openID, ".well-known/openid-configuration", by: [.get], .discovery)
            + at(.openID, "authorize", by: [.get, .post], .authorization)
            + at(.openID, "token", by: [.post], .token)
            + at(.openID, "keys", by: [.get], .keys)
            + at(.openID, "userinfo", by: [.get, .post], .userInfo)
            + at(.openID, "revoke", by: [.post], .revocation)
        let facebook =
            at(.facebook, ".well-known/oauth/openid/jwks", by: [.get], .keys)
            + graph("dialog/oauth", by: [.get, .post], .authorization)
            + graph("oauth/access_token", by: [.get, .post], .token)
            + graph("me", by: [.get, .post], .userInfo)
            + graph("debug_token", by: [.get], .debugToken)
        return everywhere + google + apple + openID + facebook
    }
}
