import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
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

    /// A request that only this server answers like this.
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

    /// The usual mistakes in the setup of a proxy.
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
