package import PorticoStores
package import PorticoWeb

extension Realm {
    /// The host that serves this realm alone (docs/decisions/0059): its issuer is that origin, with
    /// nothing behind it. `nil` of all others, whose issuer is below the public URL.
    package var host: PublicURL? {
        // `try?`: an issuer with a path is no origin.
        try? PublicURL(issuer)
    }

    /// What its endpoints are below: the issuer, or the same path on the realm's own host.
    package var base: String {
        host == nil ? issuer : "\(issuer)/realms/\(name)"
    }
}
