import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The clients that a client may hand its sign-in on to (RFC 8693 §2.1).
struct ClientHandOnFields: ParsableArguments {
    @Option(
        name: .customLong("login-token-target"),
        help: .value(
            "client",
            "A client it may hand its sign-in on to, by login token or device secret. "
                + "Repeat for several."
        )
    )
    var targets: [String] = []

    @Option(
        name: .customLong("silent-login-token-target"),
        help: .value("client", "The same, and a link with a login token signs in without asking.")
    )
    var silentTargets: [String] = []

    @Option(
        name: .customLong("remove-login-token-target"),
        help: .value("client", "A client to remove from those. Repeat for several.")
    )
    var removedTargets: [String] = []

    func apply(to client: inout Client) throws(Failure) {
        for name in removedTargets {
            guard client.loginTokenTarget(name) != nil else {
                let known = client.loginTokenTargets.map { printable($0.clientID) }
                throw Failure(
                    .notFound,
                    "The client has no login token target \"\(printable(name))\".",
                    known.isEmpty ? "It has none." : "It has: \(known.joined(separator: " "))"
                )
            }
            client.loginTokenTargets.removeAll { sameBytes($0.clientID, name) }
        }
        for (names, isSilent) in [(targets, false), (silentTargets, true)] {
            for name in names {
                let target = LoginTokenTarget(clientID: name, isSilent: isSilent)
                let place = client.loginTokenTargets.firstIndex { sameBytes($0.clientID, name) }
                if let place {
                    client.loginTokenTargets[place] = target
                } else {
                    client.loginTokenTargets.append(target)
                }
            }
        }
    }
}
