import PorticoBytes
import PorticoStores

/// The registered apps, looked up by name.
struct AppRegister: Sendable {
    /// Sorted by name; enabled ones only.
    let apps: [App]

    init(_ apps: [App]) {
        self.apps = apps.filter(\.isEnabled)
    }

    /// Whether an app may continue to use its session: not if it was disabled or removed.
    func has(_ name: String) -> Bool {
        apps.contains { sameBytes($0.name, name) }
    }

    /// The app of a request: by name, or the only one, or the default one.
    func app(named name: String?) throws(BackendError) -> App {
        guard let name else {
            if apps.count == 1 { return apps[0] }
            guard let standard = apps.first(where: \.isDefault) else {
                throw BackendError(.missingParameter, "app is required: which app is asking?")
            }
            return standard
        }
        guard let app = apps.first(where: { sameBytes($0.name, name) }) else {
            throw BackendError(.invalidApp, "No app of that name is registered.")
        }
        return app
    }
}
