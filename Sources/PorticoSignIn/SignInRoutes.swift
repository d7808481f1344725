import PorticoBytes
package import PorticoWeb

extension SignIn {
    /// What every realm has of it: signing in with identity providers, and the account pages. Its sign-in page,
    /// and the pages of connected apps, password and second step, are the Provider's.
    var routesOfRealms: [Route<SignInContext>] {
        let broker = "/realms/{realm}/broker/{provider}"
        return [
            .get(RoutePath("\(broker)/login"), for: .popups) {
                try await endpoints($0).start.get($0.provider, $0)
            }.from(.shown),
            // The request spends the answer it carries, so HEAD must not do the same.
            .get(RoutePath("\(broker)/endpoint"), for: .popups, answersHead: false) {
                try await endpoints($0).callback.get($0.provider, isLink: nil, $0)
            }.from(.shown),
            .post(RoutePath("\(broker)/endpoint"), for: .popups) {
                try await endpoints($0).callback.post($0.provider, $0)
            },
            .post(RoutePath("\(broker)/backchannel-logout"), for: .programs) {
                try await endpoints($0).providerCalls.logout($0.provider, $0)
            }.from(.none),
            .post(RoutePath("\(broker)/notifications"), for: .programs) {
                try await endpoints($0).providerCalls.appleNotification($0.provider, $0)
            }.from(.none),
            .post(RoutePath("\(broker)/deauthorize"), for: .programs) {
                try await endpoints($0).providerCalls.facebookDeauthorize($0.provider, $0)
            }.from(.none),
            .post(RoutePath("\(broker)/data-deletion"), for: .programs) {
                try await endpoints($0).providerCalls.facebookDataDeletion($0.provider, $0)
            }.from(.none),
        ] + pagesOfRealms
    }

    private var pagesOfRealms: [Route<SignInContext>] {
        PageRow.all.map { row in
            row.route(below: "/realms/{realm}", for: row.isOfSignIn ? .popups : .people) {
                context in
                // Its people have the page at the backend.
                guard context.realm != nil else {
                    return endpoints(context).responder.redirect(row.path.rawValue)
                }
                return try await row.respond(endpoints(context), context)
            }
        }
    }
}

/// A page that people have wherever they sign in: at the backend's addresses, and below every realm.
package struct PageRow: Sendable {
    package typealias Respond =
        @Sendable (SignInEndpoints, SignInContext) async throws -> Response

    package let path: SignInPath
    let isPost: Bool
    package let respond: Respond

    /// Whether an app's sign-in comes by, which finds back to its window.
    var isOfSignIn: Bool {
        [.joining, .code, .cookies, .confirmItsYou, .confirmCode].contains(path)
    }

    private static func get(_ path: SignInPath, _ respond: @escaping Respond) -> PageRow {
        PageRow(path: path, isPost: false, respond: respond)
    }

    private static func post(_ path: SignInPath, _ respond: @escaping Respond) -> PageRow {
        PageRow(path: path, isPost: true, respond: respond)
    }

    package func route(
        below base: String = "",
        for audience: Audience = .people,
        _ respond: @escaping Route<SignInContext>.Handler
    ) -> Route<SignInContext> {
        let path = RoutePath(base + path.rawValue)
        return isPost ? .post(path, for: audience, respond) : .get(path, for: audience, respond)
    }

    package static let all: [PageRow] = [
        .get(.joining) { try await $0.join.ask($1) },
        .post(.joining) { try await $0.join.decide($1) },
        .get(.code) { try await $0.join.code($1) },
        .post(.code) { try await $0.join.confirm($1) },
        .get(.cookies) { $0.join.cookies($1) },
        .get(.accountOverview) { try await $0.overview.overview($1) },
        .get(.accountDetails) { try await $0.details.details($1) },
        .post(.accountDetails) { try await $0.details.saveDetails($1) },
        .get(.accountEmail) { try await $0.details.email($1) },
        .post(.accountEmail) { try await $0.details.saveEmail($1) },
        .get(.accountWays) { try await $0.ways.ways($1) },
        .post(.accountWays) { try await $0.ways.change($1) },
        .get(.accountDevices) { try await $0.overview.devices($1) },
        .post(.accountDevices) { try await $0.overview.signOutDevice($1) },
        .get(.accountData) { try await $0.overview.download($1) },
        .get(.accountDelete) { try await $0.overview.leave($1) },
        .post(.accountDelete) { try await $0.overview.delete($1) },
        .get(.confirmItsYou) { try await $0.proof.ask($1) },
        .post(.confirmItsYou) { try await $0.proof.decide($1) },
        .get(.confirmCode) { try await $0.proof.code($1) },
        .post(.confirmCode) { try await $0.proof.confirm($1) },
    ]
}
