import Portico
import SwiftUI

/// Signed out, or signed in: one view, one client.
struct NotesView: View {
    let client: SignInClient
    @State private var session: Session?
    @State private var message: String?
    @State private var isBusy = true

    var body: some View {
        VStack(spacing: 16) {
            if let session {
                Text("Signed in as \(session.user.displayName)")
                if session.roles.contains("editor") { Text("You may edit.") }
                Button("Sign out") { run { await signOut(session) } }
            } else {
                Button("Sign in") { run { await signIn() } }
            }
            if let message { Text(message) }
        }
        .disabled(isBusy)
        .task { await restore() }
    }

    /// No network, no prompt.
    private func restore() async {
        switch await client.restore() {
        case .signedIn(let restored): follow(restored)
        case .signedOut: break
        // Not "signed out": try again when the device is unlocked.
        case .locked(let problem): message = problem.description
        }
        isBusy = false
    }

    private func signIn() async {
        do throws(SignInError) {
            follow(try await client.signIn())
            message = nil
        } catch {
            message = words(for: error)
        }
    }

    private func signOut(_ session: Session) async {
        await session.signOut()
        self.session = nil
    }

    /// The session ends here when it ends anywhere.
    private func follow(_ session: Session) {
        self.session = session
        Task {
            for await change in session.changes {
                if case .ended(let reason) = change {
                    self.session = nil
                    message = reason == .signedOut ? nil : reason.description
                }
            }
        }
    }

    private func run(_ action: @escaping @MainActor () async -> Void) {
        isBusy = true
        Task {
            await action()
            isBusy = false
        }
    }

    private func words(for error: SignInError) -> String? {
        switch error.kind {
        case .cancelled: nil
        case .denied: "You did not allow it."
        case .interactionRequired, .misconfigured, .rejected, .storage: error.description
        case .transient: "There is no connection. Try again later."
        }
    }
}
