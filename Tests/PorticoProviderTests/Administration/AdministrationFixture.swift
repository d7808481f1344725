import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores

/// What the rules of administration are tried with: a ring, a stopped clock and a realm.
enum Fixture {
    static let noon = Moment(now: Date(timeIntervalSince1970: 1_795_262_400), random: .system)

    static func ring() throws -> KeyRing {
        try KeyRing(random: .system)
    }

    static func realm() -> Realm {
        Realm(
            id: "7f1d0e0c-9c4a-4c56-9d0b-0b7f4f0a1c11",
            name: "demo",
            displayName: "Demo",
            issuer: "https://op.example.com/realms/demo"
        )
    }

    /// A confidential web app that breaks no rule.
    static func web() -> Client {
        var client = Client(
            id: "0d3c2a5e-6a3e-4a0b-8a53-9d1a60a2f001",
            realmID: realm().id,
            clientID: "web1",
            name: "Shop",
            type: .confidential,
            authentication: .clientSecretBasic
        )
        client.redirectURIs = [RedirectURI("https://app.example.com/cb")]
        client.postLogoutRedirectURIs = [RedirectURI("https://app.example.com/bye")]
        client.secret = .hashed(Hash256(of: "made here").bytes)
        return client
    }

    /// A public native app that breaks no rule.
    static func native() -> Client {
        var client = Client(
            id: "0d3c2a5e-6a3e-4a0b-8a53-9d1a60a2f002",
            realmID: realm().id,
            clientID: "native1",
            name: "Shop for phones",
            type: .public,
            authentication: .none
        )
        client.redirectURIs = [
            RedirectURI("com.example.app:/cb"), RedirectURI("http://127.0.0.1/cb"),
            RedirectURI("http://[::1]/cb"), RedirectURI("https://app.example.com/native/cb"),
        ]
        return client
    }
}
