import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// The clients that hand off, looked up by `client_id`.
package struct AppRegister: Sendable {
    /// Sorted by `client_id`; enabled ones only.
    package let apps: [Client]

    init(_ apps: [Client]) {
        self.apps = apps.filter(\.isEnabled)
    }

    /// Whether an app may continue to use its session: not if it was disabled or removed.
    package func has(_ name: String) -> Bool { self[name] != nil }

    /// The app of that `client_id`.
    package subscript(name: String) -> Client? { apps.first { sameBytes($0.clientID, name) } }

    /// Whether a sign-in may end at a target: its app is there, has that redirect, and takes its
    /// session as the target says.
    func takes(_ target: AppTarget) -> Bool {
        guard let app = self[target.app] else { return false }
        return app.permits(target.redirectURI)
            && (target.challenge != nil || app.handOff.form == .sessionToken)
    }

    /// The app of a request: by name, or the only one, or the default one.
    ///
    /// - Parameter handsOff: Whether an app whose name is not given may be meant, by how it takes its
    ///   session. If no app may, all are asked.
    package func app(named name: String?, where handsOff: (HandOffForm) -> Bool = { _ in true })
        throws(ServiceError) -> Client
    {
        guard let name else {
            let meant = apps.filter { handsOff($0.handOff.form) }
            let apps = meant.isEmpty ? apps : meant
            if apps.count == 1 { return apps[0] }
            guard let standard = apps.first(where: \.handOff.isDefault) else {
                throw ServiceError(.missingParameter, "app is required: which app is asking?")
            }
            return standard
        }
        guard let app = self[name] else {
            throw ServiceError(.invalidApp, "No app of that name is registered.")
        }
        return app
    }
}

extension Client {
    /// What native identity tokens of a provider may be for.
    package func audiences(at provider: String) -> [String] {
        handOff.audiences.filter { sameBytes($0.provider, provider) }.map(\.clientID)
    }
}
