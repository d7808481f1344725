import Foundation
import Portico

/// Where the backend is, and how the app gets its session. In an app of your own these are constants.
struct Settings {
    /// Scheme, host and port.
    let backend: String
    /// The app's name at the backend.
    let app: String
    /// Of the guide's shape: as it is registered at the backend.
    let redirect: String
    let isGuide: Bool
    let file: String

    init(_ environment: [String: String]) {
        backend = environment["POSTS_BACKEND"] ?? "http://127.0.0.1:8080"
        app = environment["POSTS_APP"] ?? "posts"
        redirect = environment["POSTS_REDIRECT"] ?? "com.example.posts:/signed-in"
        isGuide = environment["POSTS_MODE"] == "guide"
        let home = environment["HOME"] ?? NSHomeDirectory()
        file = environment["POSTS_FILE"] ?? "\(home)/.config/posts/session"
    }

    var account: any Account {
        if isGuide { return guideAccount }
        var options = BackendClient.Options()
        // Only while the backend runs on this machine.
        options.allowInsecureLoopback = true
        return LibraryAccount(
            backend: backend,
            client: BackendClient(
                backend: backend,
                app: app,
                redirect: .loopback(),
                options: options,
                storage: storage()
            )
        )
    }

    var guideAccount: GuideAccount {
        GuideAccount(
            backend: backend,
            redirect: redirect,
            storage: storage(),
            begun: storage(".begun")
        )
    }

    /// An app on iOS keeps it in the keychain. On macOS that needs a signed app.
    ///
    /// - Parameter kind: Empty for the session.
    private func storage(_ kind: String = "") -> any SessionStorage {
        #if os(iOS)
            Keychain(account: "posts \(backend)\(kind)")
        #else
            PrivateFile("\(file)\(kind)")
        #endif
    }
}
