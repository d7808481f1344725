import HTTPTypes
import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores

/// The part of ``Doctor`` that reaches the server as clients do: by its public URL, through any
/// proxy.
struct PublicAddress {
    let administration: Administration
    let backend: BackendConfiguration
    /// `nil`: without the network.
    let outbound: ObservedTransport?

    private var publicURL: String { administration.publicURL }

    func callAsFunction() async -> [Finding] {
        var findings: [Finding] = []
        if publicURL.hasPrefix("https://") {
            findings.append(.passed("https", publicURL))
        } else {
            findings.append(
                .note(
                    "https",
                    "\(publicURL) works on this machine only",
                    fix: "public-url: https://YOUR.DOMAIN in portico.yaml, and a proxy with TLS"
                )
            )
        }
        guard let outbound else {
            return findings + [.note("reachable", "not checked (--offline)")]
        }
        for probe in probes {
            let address = probe.address
            switch await outbound.get(address) {
            case .failure(let error):
                let fix = AppLinks.remedy(of: error)
                // What did not answer here does not answer the next one either.
                return findings + [.problem("reachable", "\(address): \(error)", fix: fix)]
            case .success(let reply):
                findings.append(
                    probe.isRight(reply)
                        ? .passed(probe.name, probe.text) : fault(reply, of: probe)
                )
            }
        }
        return findings + strayRealms()
    }

    private struct Probe {
        let name: String
        let address: String
        let text: String
        let isRight: (HTTPReply) -> Bool
    }

    private var probes: [Probe] {
        var probes = realms.map { realm in
            Probe(
                name: "issuer \(realm.name)",
                address: realm.issuer + "/.well-known/openid-configuration",
                text: "discovery says \(realm.issuer)"
            ) { reply in
                // `try?`: what is not JSON names no issuer. It must match exactly (RFC 8414 §3.3).
                let json = try? JSONObject(parsing: reply.body)
                return reply.response.status == .ok
                    && sameBytes(json?.string("issuer") ?? "", realm.issuer)
            }
        }
        if backend.isInUse {
            let address = publicURL + "/v1/auth/session"
            probes.append(
                Probe(name: "backend", address: address, text: "\(address) answers") { reply in
                    // `try?`: a reply that is not JSON says nothing of a session.
                    let json = try? JSONObject(parsing: reply.body)
                    return reply.response.status == .unauthorized
                        && json?.bool("authenticated") == false
                }
            )
        }
        if probes.isEmpty {
            let address = publicURL + "/healthz"
            probes.append(
                Probe(name: "reachable", address: address, text: "\(address) answers") {
                    $0.response.status == .ok && $0.body == Array("ok\n".utf8)
                }
            )
        }
        return probes
    }

    /// The enabled ones that lie under the public URL, or on a host of their own that the DNS may
    /// know. Those of hosts of the AT Protocol have other documents (``PublishedDocuments``).
    private var realms: [Realm] {
        let isTest = administration.installation.settings.testNetwork != nil
        return administration.realmList.filter {
            $0.isEnabled && $0.profile.endpoints == .openIDConnect
                && ($0.host == nil ? $0.issuer.hasPrefix(publicURL + "/") : !isTest)
        }
    }

    private func strayRealms() -> [Finding] {
        administration.realmList.filter {
            $0.host == nil && !$0.issuer.hasPrefix(publicURL + "/")
        }.map {
            .problem(
                "issuer \($0.name)",
                "\($0.issuer) does not lie under \(publicURL)",
                fix: "Serve under the public URL that the realm was created with."
            )
        }
    }

    private func fault(_ reply: HTTPReply, of probe: Probe) -> Finding {
        let code = reply.response.status.code
        let answer = "\(probe.address) answers \(code)"
        switch code {
        case 200:
            return .problem(
                probe.name,
                "\(probe.address) is answered by another server, or with another name",
                fix: "What does \(publicURL) reach? It must be this server, with public-url "
                    + publicURL
            )
        case 300..<400:
            let isLoop = sameBytes(reply.response.headerFields[.location] ?? "", probe.address)
            return .problem(
                probe.name,
                isLoop ? "\(probe.address) is redirected to itself" : answer,
                fix: "Let the proxy send X-Forwarded-Proto, and name it: trusted-proxies in "
                    + "portico.yaml"
            )
        case 421:
            return .problem(
                probe.name,
                "\(answer): the server does not know the name it is asked by",
                fix: "Let the proxy pass Host on as it is; is public-url the server's own, too?"
            )
        default:
            return .problem(
                probe.name,
                answer,
                fix: "Let the proxy pass every path on. Does the server run? \(portico("serve"))"
            )
        }
    }
}

/// Our own documents as hosts of the AT Protocol fetch them: https on its own port, from a public
/// address, without a redirect, as JSON, within ten seconds (AT Protocol, OAuth).
struct PublishedDocuments {
    /// Guarded, as theirs is.
    let transport: ObservedTransport
    let rules: IdentityRules

    /// Who we are to hosts, and the keys that prove it.
    ///
    /// - Parameter keys: As they are stored.
    func check(_ client: OwnClientDocument, _ keys: [HandleClientKey]) async -> [Finding] {
        guard HTTPAddress(client.clientID)?.isSecure == true else {
            return [.note("client document", "none: on this machine we are a development client")]
        }
        var findings = [await document(client)]
        if let address = client.json.string("jwks_uri") {
            findings.append(await keySet(at: address, keys))
        }
        return findings
    }

    private func document(_ client: OwnClientDocument) async -> Finding {
        let address = client.clientID
        return await finding("client document", address) { reply in
            do {
                let document = try ClientDocument(
                    parsing: reply.body,
                    at: ClientIDAddress(address, allowsTest: rules.allowsTest),
                    scopes: .atProtocol
                )
                // `try?`: it was JSON a line before.
                let json = try? JSONObject(parsing: reply.body)
                let members = ["redirect_uris", "scope", "token_endpoint_auth_method", "jwks_uri"]
                guard let other = members.first(where: { json?[$0] != client.json[$0] }) else {
                    return .passed(document.clientID)
                }
                return .problem(
                    "has another \(other) than this server is set up with",
                    fix: "An older copy at the proxy, or another server? Restart this one, too."
                )
            } catch {
                return .problem(
                    "is no document that hosts take: \(error)",
                    fix: "It must be this server's own, with \(address) as its client_id."
                )
            }
        }
    }

    /// Every key that a session may need must be there, and no one that was withdrawn.
    private func keySet(at address: String, _ keys: [HandleClientKey]) async -> Finding {
        await finding("client keys", address) { reply in
            // `try?`: whatever is wrong with it, it is none.
            guard let set = try? JWKSet(parsing: reply.body) else {
                let fix = "What does that address reach? It must be this server."
                return .problem("is no key set", fix: fix)
            }
            let published = set.keys.compactMap(\.keyID)
            func isThere(_ key: HandleClientKey) -> Bool {
                published.contains { sameBytes($0, key.keyID) }
            }
            let stale = "A copy at the proxy? It may keep this address for a minute at most."
            if let missing = keys.first(where: { $0.withdrawnAt == nil && !isThere($0) }) {
                return .problem("lacks key \(missing.keyID)", fix: stale)
            }
            if let withdrawn = keys.first(where: { $0.withdrawnAt != nil && isThere($0) }) {
                let text = "still has key \(withdrawn.keyID), which was withdrawn"
                return .problem(text, fix: stale)
            }
            guard !published.isEmpty else {
                return .problem(
                    "has no key: no one can sign in by handle",
                    fix: "The server makes one when it runs: \(portico("serve"))"
                )
            }
            return .passed("\(published.count) at \(address)")
        }
    }

    /// What a realm that is a host's authorization server says of itself.
    func check(_ realm: Realm) async -> [Finding] {
        guard realm.profile.endpoints == .oauth else { return [] }
        let name = "realm \(realm.name)"
        // `try?`: an origin that hosts do not take is one that they do not reach.
        guard HTTPAddress(realm.issuer)?.isSecure == true,
            let origin = try? ServerOrigin(realm.issuer, rules)
        else {
            return [
                .note(name, "\(realm.issuer) is for this machine: no host elsewhere can reach it")
            ]
        }
        var findings = [await server(at: origin, name)]
        // One that is elsewhere has a document itself.
        if realm.profile.tokenResource.map({ sameBytes($0, realm.issuer) }) ?? true {
            findings.append(await self.resource(at: origin, name))
        }
        return findings
    }

    private func server(at origin: ServerOrigin, _ name: String) async -> Finding {
        let address = origin.text + "/.well-known/oauth-authorization-server"
        return await finding(name, address) { reply in
            do {
                _ = try AuthorizationServer(parsing: reply.body, of: origin)
                return .passed(address)
            } catch {
                let text = "is no metadata that clients take: \(error)"
                return .problem(text, fix: Self.passOn(origin))
            }
        }
    }

    private func resource(at origin: ServerOrigin, _ name: String) async -> Finding {
        let address = origin.text + "/.well-known/oauth-protected-resource"
        return await finding(name, address) { reply in
            // `try?`: what is not JSON names no server.
            let json = try? JSONObject(parsing: reply.body)
            let servers = json?.strings("authorization_servers") ?? []
            guard sameBytes(json?.string("resource") ?? "", origin.text), servers.count == 1,
                sameBytes(servers[0], origin.text)
            else {
                let text = "names another server, or another host"
                return .problem(text, fix: Self.passOn(origin))
            }
            return .passed(address)
        }
    }

    private static func passOn(_ origin: ServerOrigin) -> String {
        "Let the proxy pass everything of \(origin.host) on to this server as it is."
    }

    private enum Verdict {
        case passed(String)
        /// The text stands behind the address.
        case problem(String, fix: String)
    }

    /// - Parameter judge: Sees a document that hosts would read.
    private func finding(_ name: String, _ address: String, _ judge: (HTTPReply) -> Verdict) async
        -> Finding
    {
        let verdict =
            switch await transport.get(address) {
            case .failure(let error): Self.fault(error)
            case .success(let reply): Self.fault(reply) ?? judge(reply)
            }
        return switch verdict {
        case .passed(let text):
            .passed(name, "\(text), \(transport.exchanges.last?.milliseconds ?? 0) ms")
        case .problem(let text, let fix): .problem(name, "\(address) \(text)", fix: fix)
        }
    }

    private static func fault(_ error: HTTPTransportError) -> Verdict {
        switch error {
        case .refused:
            .problem(
                "is not at a public address, so no host fetches it",
                fix: "Point this hostname to a public IP address only."
            )
        case .timedOut:
            .problem(
                "does not answer within ten seconds",
                fix: "Ten minutes without it, and no session can be refreshed: what holds it up?"
            )
        default: .problem("cannot be fetched: \(error)", fix: AppLinks.remedy(of: error))
        }
    }

    private static func fault(_ reply: HTTPReply) -> Verdict? {
        let code = reply.response.status.code
        guard code == 200 else {
            return (300..<400).contains(code)
                ? .problem(
                    "answers \(code), and hosts follow no redirect",
                    fix: "Answer at this address itself, also at the proxy."
                ) : .problem("answers \(code)", fix: "Let the proxy pass every path on.")
        }
        guard reply.mediaType == "application/json" else {
            return .problem(
                "is \(reply.mediaType ?? "of no type"), not application/json",
                fix: "Let the proxy pass Content-Type on as it is."
            )
        }
        return nil
    }
}
