import PorticoBytes
import PorticoStores

/// The clients that hand off, looked up by `client_id`.
struct AppRegister: Sendable {
    /// Sorted by `client_id`; enabled ones only.
    let apps: [Client]

    init(_ apps: [Client]) {
        self.apps = apps.filter(\.isEnabled)
    }

    /// Whether an app may continue to use its session: not if it was disabled or removed.
    func has(_ name: String) -> Bool {
        apps.contains { sameBytes($0.clientID, name) }
    }

    /// Whether a sign-in may end at a target: its app is there, has that redirect, and takes its
    /// session as the target says.
    func takes(_ target: AppTarget) -> Bool {
        guard let app = apps.first(where: { sameBytes($0.clientID, target.app) }) else {
            return false
        }
        return app.permits(target.redirectURI)
            && (target.challenge != nil || app.handOff.form == .sessionToken)
    }

    /// The app of a request: by name, or the only one, or the default one.
    ///
    /// - Parameter handsOff: Whether an app whose name is not given may be meant, by how it takes its
    ///   session. If no app may, all are asked.
    func app(named name: String?, where handsOff: (HandOffForm) -> Bool = { _ in true })
        throws(BackendError) -> Client
    {
        guard let name else {
            let meant = apps.filter { handsOff($0.handOff.form) }
            let apps = meant.isEmpty ? apps : meant
            if apps.count == 1 { return apps[0] }
            guard let standard = apps.first(where: \.handOff.isDefault) else {
                throw BackendError(.missingParameter, "app is required: which app is asking?")
            }
            return standard
        }
        guard let app = apps.first(where: { sameBytes($0.clientID, name) }) else {
            throw BackendError(.invalidApp, "No app of that name is registered.")
        }
        return app
    }
}

extension Client {
    /// What native identity tokens of a provider may be for.
    func audiences(at provider: String) -> [String] {
        handOff.audiences.filter { sameBytes($0.provider, provider) }.map(\.clientID)
    }
}
