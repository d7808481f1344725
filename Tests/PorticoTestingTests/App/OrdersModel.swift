import HTTPTypes
import Portico

/// The part of an app that its tests are about.
@MainActor final class OrdersModel {
    private let client: SignInClient
    private(set) var session: Session?
    private(set) var message: String?

    init(client: SignInClient) {
        self.client = client
    }

    var canEdit: Bool { session?.roles.contains("editor") ?? false }

    func signIn() async {
        do throws(SignInError) {
            session = try await client.signIn(using: .loopback())
            message = nil
        } catch {
            message = Self.words(for: error)
        }
    }

    func start() async {
        if case .signedIn(let session) = await client.restore() { self.session = session }
    }

    func orders() async -> Int? {
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/orders"
        )
        do throws(SignInError) {
            return try await session?.http.data(for: request).0.count
        } catch {
            if case .interactionRequired = error.kind { session = nil }
            message = Self.words(for: error)
            return nil
        }
    }

    static func words(for error: SignInError) -> String? {
        switch error.kind {
        case .cancelled: nil
        case .denied: "You said no."
        case .interactionRequired: "Please sign in."
        case .transient: "Try again later."
        case .misconfigured, .rejected, .storage: "Something is wrong: \(error)"
        }
    }
}
