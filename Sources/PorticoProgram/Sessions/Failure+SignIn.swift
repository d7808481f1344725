import Portico
import PorticoBytes
import PorticoProtocol

extension Failure {
    /// What the client library throws, in words for the command line; `nil`: something else.
    ///
    /// - Parameters:
    ///   - clientID: Of the sign-in; `nil`: the standard one.
    ///   - callbackPort: The one that was asked for, where one was.
    init?(
        signIn error: any Error,
        issuer: String,
        clientID: String? = nil,
        callbackPort: UInt16? = nil
    ) {
        guard let error = error as? SignInError else { return nil }
        let words = error.providerError.map { ["The provider says: \(Self.text(of: $0))"] } ?? []
        let again = SessionOptions.login(issuer, clientID)
        let login = "Sign in again: \(again)"
        switch error.kind {
        case .cancelled(.timedOut):
            self.init(
                .timedOut,
                error.description,
                "Nothing was stored. Run the same command to try again, or allow more time:",
                "\(again) --timeout 10m"
            )
        case .denied:
            self.init(.declined, error.description, advice: words + ["Nothing was stored."])
        case .cancelled: self.init(.interrupted, error.description)
        case .interactionRequired(.signedOut): self.init(.notSignedIn, error.description, login)
        case .interactionRequired: self.init(.sessionEnded, error.description, login)
        case .transient(_, let retryAfter):
            let wait = retryAfter.map { " in \(Times.duration($0.components.seconds))" } ?? ""
            self.init(
                .unreachable,
                "\(printable(issuer)): \(error.description)",
                "Nothing was lost. Try again\(wait)."
            )
        case .misconfigured(.issuerInsecure):
            self.init(
                .misconfigured,
                "The issuer must be https; http only on 127.0.0.1, [::1] or localhost."
            )
        case .misconfigured(.pkceNotAnnounced):
            self.init(
                .misconfigured,
                "The provider does not announce PKCE with S256.",
                "If it accepts PKCE anyway: \(again) --pkce-unannounced"
            )
        case .misconfigured(.loopbackPortInUse):
            let port = callbackPort ?? 0
            self.init(
                .portInUse,
                "Another program is already listening on 127.0.0.1:\(port).",
                "Find it: ss -ltnp 'sport = :\(port)'",
                "Or use another port that the provider knows: \(again) --callback-port PORT"
            )
        case .misconfigured(.discoveryNotFound):
            self.init(
                .misconfigured,
                error.description,
                advice: words + [
                    "Asked: \(printable(issuer))/.well-known/openid-configuration"
                ]
            )
        case .misconfigured(.certificateUntrusted):
            self.init(
                .misconfigured,
                "\(printable(issuer)): \(error.description)",
                advice: ["A CA of your own belongs among those of the system."]
                    + (Self.plain(issuer).map {
                        ["If it speaks http there: \(SessionOptions.login($0, clientID))"]
                    } ?? [])
            )
        case .misconfigured: self.init(.misconfigured, error.description, advice: words)
        case .rejected(.metadataIssuer):
            self.init(
                .rejected,
                error.description,
                "It must match exactly: check for an extra or a missing slash.",
                "If the metadata has {tenantid} in it, name that: \(again) --tenant-issuers URL"
            )
        case .rejected(.audience):
            self.init(
                .rejected,
                error.description,
                "If it names us and others that you know, name those: "
                    + "\(again) --trusted-audience ID",
                "All of the answer was discarded."
            )
        case .rejected:
            let discarded = "All of the answer was discarded."
            self.init(.rejected, error.description, advice: words + [discarded])
        case .storage: self.init(.storage, error.description)
        }
    }
    /// The same without TLS, on this machine.
    private static func plain(_ issuer: String) -> String? {
        guard let rest = issuer.dropping("https://") else { return nil }
        let plain = "http://\(rest)"
        return HTTPAddress(plain)?.isThisMachine == true ? plain : nil
    }

    private static func text(of error: SignInError.ProviderError) -> String {
        [error.code, error.description, error.address].compactMap(\.self).map(printable)
            .joined(separator: " · ")
    }
}
