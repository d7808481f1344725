import ArgumentParser
import PorticoStores

/// The fields of a new or changed app. What is left out stays as it is; a list is
/// replaced as a whole, and one empty value clears it.
struct AppFields: ParsableArguments {
    @Option(help: .value("text", "The name that people see.")) var displayName: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: .value("uri", "Where a sign-in returns to. Repeat for several.")
    )
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("bundle-id"),
        help: .value("id", "The bundle ID of its Apple app. Repeat for several.")
    )
    var bundleIDs: [String] = []

    @Option(help: .value("id", "The team ID of its Apple app, ten characters.")) var team: String?

    @Option(
        name: .customLong("android-package"),
        help: .value("name", "The package name of its Android app.")
    )
    var androidPackage: String?

    @Option(
        name: .customLong("fingerprint"),
        help: .value(
            "hex",
            "SHA-256 of a certificate that signs the Android app. Repeat for several."
        )
    )
    var fingerprints: [String] = []

    @Option(
        name: .customLong("audience"),
        help: .value(
            "provider=id",
            "A client id that native identity tokens of a provider may be for. Repeat for several."
        )
    )
    var audiences: [String] = []

    @Option(
        name: .customLong("store-link"),
        help: .value("url", "Its page in an app store. Repeat for several.")
    )
    var storeLinks: [String] = []

    @Option(
        help: .value("form", "code; or session-token, a less secure mode for older apps.")
    )
    var handOff: App.HandOffForm?

    @Flag(inversion: .prefixedNo, help: "Whether requests that name no app mean this one.")
    var `default`: Bool?

    @Flag(inversion: .prefixedEnableDisable, help: "Whether it is served at all.") var app: Bool?

    func validate() throws {
        for audience in audiences where !audience.isEmpty {
            guard audience.dropFirst().dropLast().contains("=") else {
                throw ValidationError("--audience must be written as PROVIDER=ID.")
            }
        }
        guard androidPackage == nil || androidPackage == "" || !fingerprints.isEmpty else {
            throw ValidationError("--android-package needs --fingerprint.")
        }
    }

    func apply(to app: inout App) throws(Failure) {
        if let displayName { app.displayName = displayName }
        if !redirectURIs.isEmpty { app.redirectURIs = Self.listed(redirectURIs) }
        if !storeLinks.isEmpty { app.storeLinks = Self.listed(storeLinks) }
        if let handOff { app.handOff = handOff }
        if let isDefault = self.default { app.isDefault = isDefault }
        if let isEnabled = self.app { app.isEnabled = isEnabled }
        if !audiences.isEmpty { app.audiences = namedAudiences }
        try applyApple(to: &app)
        try applyAndroid(to: &app)
    }

    private func applyApple(to app: inout App) throws(Failure) {
        guard !bundleIDs.isEmpty else {
            guard team == nil else {
                throw Failure(.usage, "--team needs --bundle-id.", "See: portico app --help")
            }
            return
        }
        let bundles = Self.listed(bundleIDs)
        guard !bundles.isEmpty else {
            app.appleAppIDs = []
            return
        }
        guard let team else {
            throw Failure(
                .usage,
                "--bundle-id needs --team.",
                "Find it at developer.apple.com, under Membership: --team ABCDE12345"
            )
        }
        try AppleApp.check(team: team)
        for bundle in bundles { try AppleApp.check(bundleID: bundle) }
        app.appleAppIDs = bundles.map { "\(team).\($0)" }
    }

    private func applyAndroid(to app: inout App) throws(Failure) {
        guard let androidPackage else {
            guard !fingerprints.isEmpty else { return }
            guard app.androidApps.count == 1 else {
                throw Failure(
                    .usage,
                    "--fingerprint needs --android-package.",
                    "As: --android-package com.example.notes"
                )
            }
            app.androidApps[0].fingerprints = try certificates
            return
        }
        guard !androidPackage.isEmpty else {
            app.androidApps = []
            return
        }
        let form = /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/
        guard androidPackage.utf8.count <= 255, androidPackage.wholeMatch(of: form) != nil else {
            throw Failure(
                .wrongValue,
                "--android-package \"\(printable(androidPackage))\" is not a package name.",
                "Expected: words with periods between, as com.example.notes."
            )
        }
        app.androidApps = [
            App.AndroidApp(packageName: androidPackage, fingerprints: try certificates)
        ]
    }

    /// As Google's file has them: `AA:BB:…`, however they were typed.
    private var certificates: [String] {
        get throws(Failure) {
            var certificates: [String] = []
            for text in fingerprints {
                let digits = text.replacing(":", with: "").uppercased()
                guard digits.wholeMatch(of: /[0-9A-F]{64}/) != nil else {
                    throw Failure(
                        .wrongValue,
                        "--fingerprint \"\(printable(text))\" is not a SHA-256 fingerprint.",
                        "Expected: 32 bytes in hexadecimal. See: keytool -list -v"
                    )
                }
                let pairs = stride(from: 0, to: 64, by: 2).map { place in
                    String(digits.dropFirst(place).prefix(2))
                }
                certificates.append(pairs.joined(separator: ":"))
            }
            return certificates
        }
    }

    private var namedAudiences: [String: [String]] {
        var named: [String: [String]] = [:]
        for audience in audiences {
            let parts = audience.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            named[String(parts[0]), default: []].append(String(parts[1]))
        }
        return named
    }

    /// `[""]` is how a list is emptied.
    private static func listed(_ values: [String]) -> [String] {
        values.filter { !$0.isEmpty }
    }
}

extension App.HandOffForm: ExpressibleByArgument {}
