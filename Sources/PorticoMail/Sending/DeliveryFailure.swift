/// Why a mail was not passed on.
///
/// Its description is our own text; from the server it has numbers, and ``logText`` plain words.
package struct DeliveryFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case unreachable
        case timedOut
        case untrusted
        case notEncrypted
        case loginRefused
        case refused
        case unintelligible
        case notStarted
        case commandFailed
        case busy
        case cancelled
        case unsupported
    }

    package let reason: Reason
    /// Trying this mail again does not help (RFC 5321 §4.2.1).
    package let isPermanent: Bool
    package let reply: SMTPReply?
    /// The exit status of a command.
    package let exitStatus: Int32?

    package init(
        _ reason: Reason,
        isPermanent: Bool = false,
        reply: SMTPReply? = nil,
        exitStatus: Int32? = nil
    ) {
        self.reason = reason
        self.isPermanent = isPermanent
        self.reply = reply
        self.exitStatus = exitStatus
    }

    package var description: String {
        "\(explanation)"
    }

    /// For the log: no address, no text of the mail, no password.
    package var logText: String {
        var text = "\(explanation)"
        if let reply { text += " (\(reply.logText))" }
        if let exitStatus { text += " (exit status \(exitStatus))" }
        return text
    }

    private var explanation: StaticString {
        switch reason {
        case .unreachable: "The mail server cannot be reached, or broke off."
        case .timedOut: "It took too long."
        case .untrusted: "The mail server's certificate is not trusted."
        case .notEncrypted: "The mail server offers no encryption."
        case .loginRefused: "The mail server refused the username and password."
        case .refused:
            isPermanent ? "The mail was refused." : "The mail was refused for now."
        case .unintelligible: "The mail server does not speak SMTP as it should."
        case .notStarted: "The mail command cannot be started."
        case .commandFailed:
            isPermanent ? "The mail command refused the mail." : "The mail command failed."
        case .busy: "Too many mails are being sent."
        case .cancelled: "Sending was broken off."
        case .unsupported: "The libcurl of this system cannot send mail."
        }
    }
}
