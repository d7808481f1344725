import Logging
import PorticoOutbound
import PorticoWeb

extension Setting {
    /// Every setting, in the order of `docs/configuration.md`.
    static let all: [Setting] =
        [
            Setting(
                "data-directory",
                expected: "the path of a folder",
                standard: "$XDG_DATA_HOME/portico/server",
                apply: { settings, path in
                    guard !path.isEmpty, !path.utf8.contains(0) else { return false }
                    settings.dataDirectory = path
                    return true
                },
                show: { $0.dataDirectory }
            ),
            Setting(
                "listen",
                expected: "an IP address and a port, as 127.0.0.1:8080 or [::1]:8080",
                standard: "127.0.0.1:8080",
                apply: { settings, text in
                    guard let address = ListenAddress(text) else { return false }
                    settings.listen = address
                    return true
                },
                show: { $0.listen.text }
            ),
            Setting(
                "public-url",
                expected:
                    "https://HOST without a path, or http://127.0.0.1:PORT or http://localhost:PORT",
                standard: "http:// and the listen address",
                apply: { settings, text in
                    let origin = text.hasSuffix("/") ? String(text.dropLast()) : text
                    // `try?`: whether it is one is the question.
                    guard let url = try? PublicURL(origin) else { return false }
                    settings.publicURL = url
                    return true
                },
                show: { $0.publicURL?.origin }
            ),
            Setting(
                list: "trusted-proxies",
                option: "trusted-proxy",
                expected: "IP addresses or ranges, as 10.0.0.2 or 10.0.0.0/8",
                apply: { settings, texts in
                    guard texts.allSatisfy({ NetworkRange($0) != nil }) else { return false }
                    settings.trustedProxies = texts
                    return true
                },
                show: { $0.trustedProxies }
            ),
            Setting(
                list: "import-realm",
                option: "import-realm",
                expected: "paths of realm files",
                apply: { settings, paths in
                    guard !paths.contains("") else { return false }
                    settings.importRealm = paths
                    return true
                },
                show: { $0.importRealm }
            ),
            Setting(
                list: "backchannel-allow",
                option: "backchannel-allow",
                expected: "hosts with their ports, as 10.0.0.7:8443 or app.internal:443",
                apply: { settings, texts in
                    guard texts.allSatisfy({ NamedHost($0) != nil }) else { return false }
                    settings.backchannelAllow = texts
                    return true
                },
                show: { $0.backchannelAllow }
            ),
            Setting(
                "log.level",
                expected: "one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
                standard: "info",
                apply: { settings, text in
                    guard let level = Logger.Level(rawValue: text) else { return false }
                    settings.logLevel = level
                    return true
                },
                show: { $0.logLevel.rawValue }
            ),
            Setting(
                "log.format",
                expected: "one of logfmt, json",
                standard: "logfmt",
                apply: { settings, text in
                    guard let format = LogFormat(rawValue: text) else { return false }
                    settings.logFormat = format
                    return true
                },
                show: { $0.logFormat.rawValue }
            ),
            number("hashing.threads", \.hashingThreads, in: 1...64),
            number("hashing.queue", \.hashingQueue, in: 0...10_000),
            Setting(
                "limits.connections",
                expected: "a number from 16 to 100000",
                standard: "three quarters of the open files, at most 8192",
                apply: { settings, text in
                    guard let number = Int(text), (16...100_000).contains(number) else {
                        return false
                    }
                    settings.limitConnections = number
                    return true
                },
                show: { $0.limitConnections.map(String.init) }
            ),
            number("limits.body", \.limitBody, in: 4096...16_777_216),
            number("limits.request-seconds", \.limitRequestSeconds, in: 1...600),
            number("limits.idle-seconds", \.limitIdleSeconds, in: 1...3600),
        ] + mail + backend + pages
}
