package import PorticoBytes

/// Passes mail to a mail server (RFC 6409), with libcurl.
///
/// libcurl is linked, not loaded at run time: the program needs it anyway, because Foundation's
/// `URLSession` depends on it, and a static build of Foundation requires its development files.
package struct SMTPSubmission: MailTransport {
    private let server: SMTPServer
    private let password: SecretText?
    private let authorities: String?
    private let limits: SMTPLimits
    private let threads: MailThreads

    package enum Refusal: Error, Hashable, Sendable {
        /// A user without a password, or a password without a user.
        case credentials
    }

    /// - Parameters:
    ///   - authorities: A PEM file of certificates that are trusted instead of the system's.
    ///   - threads: How many mails are sent at once.
    package init(
        to server: SMTPServer,
        password: SecretText?,
        trusting authorities: String? = nil,
        limits: SMTPLimits = SMTPLimits(),
        threads: Int = 2
    ) throws(Refusal) {
        guard (server.user == nil) == (password == nil) else { throw .credentials }
        self.server = server
        self.password = password
        self.authorities = authorities
        self.limits = limits
        self.threads = MailThreads(threads: threads)
    }

    package func send(_ mail: Mail) async throws(DeliveryFailure) {
        let (server, password, authorities, limits) = (server, password, authorities, limits)
        try await threads.run { cancellation in
            guard let transfer = CurlTransfer(cancellation) else {
                return DeliveryFailure(.unsupported)
            }
            return transfer.send(
                mail,
                to: server,
                password: password,
                trusting: authorities,
                limits: limits
            )
        }
    }

    package func shutDown() async {
        await threads.shutDown()
    }
}

/// How long a mail server may take, in seconds.
package struct SMTPLimits: Hashable, Sendable {
    /// Until its greeting, encryption included.
    package var connecting: Int
    package var whole: Int

    package init(connecting: Int = 15, whole: Int = 60) {
        self.connecting = connecting
        self.whole = whole
    }
}
