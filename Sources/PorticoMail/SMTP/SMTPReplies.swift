import CCurl

/// The replies of one connection as received, of which the last one counts.
struct SMTPReplies {
    private(set) var count = 0
    private(set) var last: SMTPReply?
    private var pending: [UInt8] = []

    /// Whole lines, or pieces of them; the end of a line that is too long is dropped.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte == 0x0A {
                take(pending)
                pending = []
            } else if byte != 0x0D, pending.count < 1000 {
                pending.append(byte)
            }
        }
    }

    private mutating func take(_ line: [UInt8]) {
        // "250-" announces another line (RFC 5321 §4.2.1).
        guard line.count < 4 || line[3] != UInt8(ascii: "-"), let reply = SMTPReply(line: line),
            // The reply to QUIT comes after what mattered.
            reply.code != 221
        else { return }
        count += 1
        last = reply
    }

    /// The meaning of a conversation's `outcome` for the mail.
    func failure(_ outcome: CurlOutcome) -> DeliveryFailure {
        let refusal = last.flatMap { $0.code >= 400 ? $0 : nil }
        switch outcome {
        case .loginRefused:
            // It is not about the mail, which waits until the settings are corrected. The server
            // may repeat the credentials.
            return DeliveryFailure(.loginRefused, reply: refusal?.withoutWords)
        case .notEncrypted: return DeliveryFailure(.notEncrypted, reply: refusal?.withoutWords)
        case .refused:
            guard let refusal else { return DeliveryFailure(.unreachable) }
            // The first reply is about the server; later ones are about this mail (RFC 5321 §3.1).
            let isPermanent = refusal.code >= 500 && count > 1
            return DeliveryFailure(.refused, isPermanent: isPermanent, reply: refusal)
        case .greetingRefused:
            return DeliveryFailure(refusal == nil ? .unintelligible : .refused, reply: refusal)
        case .broken(let reason):
            // A server that shuts down reports it (RFC 5321 §3.8).
            return DeliveryFailure(reason, reply: refusal)
        }
    }
}

/// The outcome of libcurl, as far as it matters.
enum CurlOutcome: Hashable, Sendable {
    case loginRefused
    case notEncrypted
    /// By a reply to the greeting, the envelope or the text.
    case refused
    /// By the reply to EHLO.
    case greetingRefused
    case broken(DeliveryFailure.Reason)

    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_LOGIN_DENIED: .loginRefused
            case CURLE_USE_SSL_FAILED: .notEncrypted
            case CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY: .refused
            case CURLE_REMOTE_ACCESS_DENIED: .greetingRefused
            case CURLE_OPERATION_TIMEDOUT: .broken(.timedOut)
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
                .broken(.untrusted)
            case CURLE_ABORTED_BY_CALLBACK: .broken(.cancelled)
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN: .broken(.unsupported)
            default: .broken(.unreachable)
            }
    }
}
