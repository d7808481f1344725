import Portico
import SwiftUI

@main struct NotesApp: App {
    var body: some Scene {
        WindowGroup {
            NotesView(client: .notes)
        }
    }
}

extension SignInClient {
    /// The app's one client.
    static let notes: SignInClient = {
        var options = Options()
        options.apiOrigins = ["https://api.example.com"]
        return SignInClient(
            issuer: "https://id.example.com/realms/notes",
            clientID: "notes-ios",
            redirect: .https("https://notes.example.com/signed-in"),
            scopes: [.openid, .profile],
            options: options
        )
    }()
}
