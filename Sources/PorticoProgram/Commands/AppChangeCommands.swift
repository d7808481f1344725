import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

extension AppCommand {
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register an app.",
            discussion: """
                Redirect URIs must match exactly, but http://127.0.0.1 and http://[::1] match on \
                any port. An https redirect needs the app that opens it: --bundle-id with \
                --team, --android-package with --fingerprint.
                """
        )
        static let missing = Installation.Missing.create

        @Argument(help: "Its name in requests: lower-case letters, digits, '-'.")
        var name: String
        @OptionGroup var fields: AppFields
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let taken = Failure(
                .exists,
                "App \"\(printable(name))\" already exists.",
                "Change it: \(portico("app update \(name)"))"
            )
            let configuration = try await administration.backend()
            guard !configuration.apps.contains(where: { sameBytes($0.name, name) }) else {
                throw taken
            }
            var app = App(
                id: UniqueID(random: administration.moment.random),
                name: name,
                displayName: name,
                redirectURIs: []
            )
            try fields.apply(to: &app)
            try administration.admit(app, replacing: nil, among: configuration)
            guard administration.mayWrite("created app \(name)") else { return }
            do {
                try await administration.installation.backend.put(app)
            } catch is StoreConflict {
                throw taken
            }
            console.done(
                "Created app \(name). Undo: \(portico("app delete \(name) --confirm \(name)"))"
            )
            administration.sayDomains(of: app)
        }
    }

    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change an app. What you leave out stays; a list is replaced as a whole."
        )

        @OptionGroup var name: Name
        @OptionGroup var fields: AppFields
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let former = try await administration.app(name.name)
            var app = former
            try fields.apply(to: &app)
            if app != former {
                try administration.admit(
                    app,
                    replacing: former,
                    among: try await administration.backend()
                )
            }
            guard administration.mayWrite(app, replacing: former, "app \(app.name)") else { return }
            try await administration.installation.backend.put(app, replacing: former)
            console.done("Changed app \(app.name). See it: \(portico("app show \(app.name)"))")
            administration.sayDomains(of: app)
        }
    }
}

extension Administration {
    /// An app that keeps the rules of registration; warns of what is newly allowed but unwise.
    fileprivate func admit(
        _ app: App,
        replacing former: App?,
        among configuration: BackendConfiguration
    ) throws {
        let registration = AppRegistration(
            publicURL: publicURL,
            providers: configuration.providers.map(\.name)
        )
        try registration.check(app)
        let known = former.map(registration.warnings) ?? []
        for warning in registration.warnings(app) where !known.contains(warning) {
            console.warn(warning)
        }
    }

    /// Says what to enter in Xcode and Android Studio.
    fileprivate func sayDomains(of app: App) {
        let hosts = AppLinks(app, publicURL: publicURL).hosts
        guard let host = hosts.first else { return }
        if !app.appleAppIDs.isEmpty {
            console.say("  Xcode, Associated Domains: webcredentials:\(host)  applinks:\(host)")
        }
        if !app.androidApps.isEmpty {
            console.say("  Android, intent filter with autoVerify: https://\(host)")
        }
        if !app.appleAppIDs.isEmpty || !app.androidApps.isEmpty {
            console.say("Check: \(portico("app links check \(app.name)"))")
        }
    }
}
