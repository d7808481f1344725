import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The association files of an app, as Apple's and Google's systems fetch them: over https, without
/// following a redirect, `application/json`.
struct AppLinks {
    let app: Client
    private let realm: String?
    private let publicURL: String

    init(_ app: Client, in realm: String?, publicURL: String) {
        self.app = app
        self.realm = realm
        self.publicURL = publicURL
    }

    static let applePath = "/.well-known/apple-app-site-association"
    static let googlePath = "/.well-known/assetlinks.json"

    /// Where its https redirects lead, else where we are: hosts with their ports.
    var hosts: [String] {
        let origins = Set(app.redirectURIs.compactMap(\.httpsOrigin)).sorted()
        return (origins.isEmpty ? [publicURL] : origins)
            .compactMap { HTTPAddress($0)?.authority }
    }

    /// Whether one of the two files is about the app at all.
    var isInFiles: Bool { !app.handOff.appleAppIDs.isEmpty || !app.handOff.androidApps.isEmpty }

    func check(over transport: ObservedTransport) async -> [Finding] {
        var findings: [Finding] = []
        if !app.handOff.appleAppIDs.isEmpty {
            switch await file(Self.applePath, transport) {
            case .success(let value): findings += apple(value)
            case .failure(let finding): findings.append(finding)
            }
        }
        if !app.handOff.androidApps.isEmpty {
            switch await file(Self.googlePath, transport) {
            case .success(let value): findings += google(value)
            case .failure(let finding): findings.append(finding)
            }
        }
        return findings + reach()
    }

    /// Where the files can be fetched from.
    private func reach() -> [Finding] {
        var findings: [Finding] = []
        if !publicURL.hasPrefix("https://") {
            findings.append(
                .note(
                    "public URL",
                    "Apple and Google fetch over https only, not from \(publicURL)",
                    fix: "public-url: https://YOUR.DOMAIN in portico.yaml"
                )
            )
        }
        let others = Set(app.redirectURIs.compactMap(\.httpsOrigin))
            .filter { !sameBytes($0, publicURL) }.sorted()
        for origin in others {
            findings.append(
                .note(
                    "redirects",
                    "Apple and Google ask \(origin) for the files; these are of \(publicURL)",
                    fix: "Serve \(Self.applePath) and \(Self.googlePath) there too."
                )
            )
        }
        return findings
    }

    /// The fix where our own server did not answer.
    static func remedy(of error: HTTPTransportError) -> String {
        error == .untrusted
            ? error.remedy : "Does the server run, and its proxy? \(portico("serve"))"
    }

    private enum Fetched {
        case success(JSONValue)
        case failure(Finding)
    }

    private func file(_ path: String, _ transport: ObservedTransport) async -> Fetched {
        let address = publicURL + path
        let name = String(path.dropFirst("/.well-known/".count))
        func bad(_ text: String, _ fix: String) -> Fetched {
            .failure(.problem(name, text, fix: fix))
        }
        let reply: HTTPReply
        switch await transport.get(address) {
        case .success(let received): reply = received
        case .failure(let error):
            return bad("\(address): \(error)", Self.remedy(of: error))
        }
        let code = reply.response.status.code
        guard code == 200 else {
            let isRedirect = (300..<400).contains(code)
            return bad(
                "\(address) answers \(code)" + (isRedirect ? ", and no redirect is followed" : ""),
                isRedirect
                    ? "Answer at this address itself, also at the proxy."
                    : "Does the proxy pass /.well-known/ on?"
            )
        }
        guard reply.mediaType == "application/json" else {
            return bad(
                "\(address) is \(reply.mediaType ?? "of no type"), not application/json",
                "Let the proxy pass Content-Type on as it is."
            )
        }
        do {
            return .success(try JSONValue(parsing: reply.body))
        } catch {
            return bad("\(address) is not JSON: \(error)", "What does \(publicURL) reach?")
        }
    }

    private func apple(_ file: JSONValue) -> [Finding] {
        let name = "apple-app-site-association"
        let credentials = file.object?.object("webcredentials")?.strings("apps") ?? []
        let details = file.object?.object("applinks")?.array("details") ?? []
        return app.handOff.appleAppIDs.map { id in
            let links = details.compactMap(\.object).filter {
                $0.strings("appIDs")?.contains { sameBytes($0, id) } ?? false
            }
            let paths = links.flatMap { $0.array("components") ?? [] }
                .compactMap { $0.object?.string("/") }
            var lacking: [String] = []
            if !credentials.contains(where: { sameBytes($0, id) }) {
                lacking.append("webcredentials")
            }
            if links.isEmpty { lacking.append("applinks") }
            let unclaimed = redirectPaths.filter { path in
                !paths.contains { sameBytes($0, path) }
            }
            guard lacking.isEmpty else {
                return .problem(
                    name,
                    "\(id) is missing in \(lacking.joined(separator: " and "))",
                    fix: missingAdvice
                )
            }
            guard unclaimed.isEmpty else {
                return .problem(
                    name,
                    "\(id) does not claim \(unclaimed.joined(separator: " "))",
                    fix: missingAdvice
                )
            }
            return .passed(
                name,
                "\(id) in webcredentials and applinks (\(paths.joined(separator: " ")))"
            )
        }
    }

    private func google(_ file: JSONValue) -> [Finding] {
        let name = "assetlinks.json"
        let statements = (file.array ?? []).compactMap(\.object).filter {
            $0.strings("relation")?.contains("delegate_permission/common.handle_all_urls") ?? false
        }
        return app.handOff.androidApps.map { android in
            let fingerprints = statements.compactMap { $0.object("target") }
                .filter { $0.string("package_name") == android.packageName }
                .flatMap { $0.strings("sha256_cert_fingerprints") ?? [] }
            guard !fingerprints.isEmpty else {
                return .problem(name, "\(android.packageName) is missing", fix: missingAdvice)
            }
            guard fingerprints.contains(android.fingerprint) else {
                return .problem(
                    name,
                    "\(android.packageName) lacks \(android.fingerprint)",
                    fix: missingAdvice
                )
            }
            return .passed(name, "\(android.packageName), \(android.fingerprint.prefix(11))…")
        }
    }

    /// The paths of its https redirects.
    private var redirectPaths: [String] {
        app.redirectURIs.filter { $0.kind == .https }.compactMap { HTTPAddress($0.text) }
            .map { $0.path.isEmpty ? "/" : $0.path }
    }

    private var missingAdvice: String {
        app.isEnabled
            ? "Another server, or an older copy at the proxy: what does \(publicURL) reach?"
            : "The app is disabled: \(app.update("--enable-client", in: realm))"
    }
}
