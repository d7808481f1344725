import HTTPTypes
import Hummingbird

/// Which page answers at which path.
struct PageEndpoints: Sendable {
    let choose: ChoosePages
    let join: JoinPages
    let account: AccountPages
    let details: DetailsPages
    let ways: WayPages
    let proof: ConfirmPages
    let other: OtherPages

    func respond(_ page: BackendPageRoute, _ visit: BackendVisit) async throws -> Response {
        let isPost = visit.request.method == .post
        switch page {
        case .root: return try await other.root(visit)
        case .login: return try await choose.signIn(visit)
        case .signup: return try await choose.signUp(visit)
        case .joining: return try await isPost ? join.decide(visit) : join.ask(visit)
        case .code: return try await isPost ? join.confirm(visit) : join.code(visit)
        case .cookies: return join.cookies(visit)
        case .onboarding: return try await isPost ? other.welcome(visit) : other.onboarding(visit)
        case .dashboard: return try await other.dashboard(visit)
        case .signOut: return try await isPost ? other.signOut(visit) : other.askToSignOut(visit)
        case .appCallback: return other.appDidNotOpen(visit)
        case .help: return other.help(visit)
        case .accountOverview: return try await account.overview(visit)
        case .accountDetails:
            return try await isPost ? details.saveDetails(visit) : details.details(visit)
        case .accountEmail:
            return try await isPost ? details.saveEmail(visit) : details.email(visit)
        case .accountWays: return try await isPost ? ways.change(visit) : ways.ways(visit)
        case .accountDevices:
            return try await isPost ? account.signOutDevice(visit) : account.devices(visit)
        case .accountDelete: return try await isPost ? account.delete(visit) : account.leave(visit)
        case .confirmItsYou:
            return try await isPost ? proof.decide(visit) : proof.ask(visit)
        case .confirmCode:
            return try await isPost ? proof.confirm(visit) : proof.code(visit)
        }
    }
}
