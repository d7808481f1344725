import PorticoProtocol

extension XRPCMethods {
    /// `com.atproto.server.getSession`
    func session(_ access: ATHostAccess) -> JSONObject {
        var session: JSONObject = [
            "did": .string(access.person.did), "handle": .string(access.person.handle),
            "active": true,
        ]
        guard access.scope.permitsEmail else { return session }
        session["email"] = .string(access.person.email)
        session["emailConfirmed"] = true
        return session
    }
}

extension Scope {
    fileprivate var permitsEmail: Bool {
        tokens.contains { token in
            switch ATScope(token) {
            case .transitionEmail, .account(.email, _): true
            default: false
            }
        }
    }
}
