import Portico

struct Profile: Decodable {
    let name: String
    let locale: String?
}

func greeting(_ session: Session) async throws -> String {
    let token = try await session.token(validFor: .seconds(120))
    precondition(!token.isEmpty)
    let profile = try await session.userInfo(as: Profile.self)
    return "Good day, \(profile.name)"
}

func follow(_ session: Session, show: (String?) -> Void) async {
    show(session.user.displayName)
    for await change in session.changes {
        switch change {
        case .refreshed: show(session.user.displayName)
        case .ended: show(nil)
        }
    }
}

func leave(_ session: Session) async -> String {
    let report = await session.signOut(.everything)
    return report.browserSessionEnded ? "Signed out everywhere" : "Signed out of this app"
}
