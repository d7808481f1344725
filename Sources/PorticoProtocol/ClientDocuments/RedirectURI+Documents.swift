import PorticoBytes

extension RedirectURI {
    /// Whether a client whose document has this URI may receive the response at `requested` (AT
    /// Protocol, OAuth): as ``permits(_:)``, but a port that the document has must match.
    package func permitsExactPort(_ requested: RedirectURI) -> Bool {
        let hasPort = ["http://127.0.0.1:", "http://[::1]:"].contains {
            text.utf8.starts(with: $0.utf8)
        }
        return hasPort ? self == requested : permits(requested)
    }
}
