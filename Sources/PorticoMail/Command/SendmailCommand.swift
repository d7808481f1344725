/// Passes mail to a `sendmail`-compatible program: on its standard input, with the recipient as an
/// argument, without a shell.
package struct SendmailCommand: MailTransport {
    private let path: String
    private let arguments: [String]
    private let environment: [String]
    private let limit: Int
    private let threads: MailThreads

    /// - Parameters:
    ///   - path: Absolute.
    ///   - arguments: Before the sender and the recipient. `-i`: a full stop does not end the mail.
    ///   - environment: The program gets only what mail programs need, none of our settings.
    ///   - limit: How long it may take, in seconds.
    ///   - threads: How many mails are sent at once.
    package init(
        _ path: String,
        arguments: [String] = ["-i"],
        environment: [String: String],
        limit: Int = 60,
        threads: Int = 2
    ) {
        self.path = path
        self.arguments = arguments
        let kept = ["HOME", "USER", "LOGNAME", "TZ"].compactMap { name in
            environment[name].map { "\(name)=\($0)" }
        }
        self.environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"] + kept
        self.limit = limit
        self.threads = MailThreads(threads: threads)
    }

    package func send(_ mail: Mail) async throws(DeliveryFailure) {
        let (path, environment, limit) = (path, environment, limit)
        // After "--" nothing is an option, whatever it begins with.
        let arguments = arguments + ["-f", mail.from.address.text, "--", mail.to.text]
        // Such programs expect the system's line ends.
        let text = mail.bytes.filter { $0 != 0x0D }
        try await threads.run { cancellation in
            guard let process = ChildProcess(path, arguments, environment: environment) else {
                return DeliveryFailure(.notStarted)
            }
            return Self.failure(process.run(input: text, limit: .seconds(limit), cancellation))
        }
    }

    package func shutDown() async {
        await threads.shutDown()
    }

    private static func failure(_ end: ChildProcess.End) -> DeliveryFailure? {
        switch end {
        case .exited(0): nil
        case .exited(let status):
            DeliveryFailure(
                .commandFailed,
                isPermanent: permanent.contains(status),
                exitStatus: status
            )
        case .killed: DeliveryFailure(.commandFailed)
        case .timedOut: DeliveryFailure(.timedOut)
        case .cancelled: DeliveryFailure(.cancelled)
        }
    }

    /// The `sysexits.h` codes that concern the mail: wrong data, no such user, no such host. The
    /// others concern the machine, and may be temporary.
    private static let permanent: Set<Int32> = [65, 67, 68]
}
