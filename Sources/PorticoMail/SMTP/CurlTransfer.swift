import CCurl
import PorticoBytes

/// One mail on one libcurl connection; used on one thread.
final class CurlTransfer {
    private let handle: UnsafeMutableRawPointer
    private let cancellation: Cancellation
    private var unsent: ArraySlice<UInt8> = []
    private var replies = SMTPReplies()

    /// Once for the process.
    private static let isStarted = portico_curl_start() != 0

    init?(_ cancellation: Cancellation) {
        guard Self.isStarted, let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.cancellation = cancellation
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    func send(
        _ mail: Mail,
        to server: SMTPServer,
        password: SecretText?,
        trusting authorities: String?,
        limits: SMTPLimits
    ) -> DeliveryFailure? {
        let recipients = curl_slist_append(nil, mail.to.text)
        defer { curl_slist_free_all(recipients) }
        let bytes = mail.bytes
        unsent = bytes[...]
        guard let recipients, open(server, limits), secure(server, authorities),
            logIn(server, password), envelope(mail, recipients, size: bytes.count), listen()
        else { return DeliveryFailure(.unsupported) }
        let result = curl_easy_perform(handle)
        return failure(result)
    }

    // MARK: Options

    private func open(_ server: SMTPServer, _ limits: SMTPLimits) -> Bool {
        text(CURLOPT_URL, server.url) && portico_curl_smtp_only(handle) != 0
            // The proxy and the password never come from the environment or a home folder.
            && text(CURLOPT_PROXY, "") && number(CURLOPT_NETRC, 0)
            && number(CURLOPT_FOLLOWLOCATION, 0)
            // Signals belong to the whole process: time limits must not use them.
            && number(CURLOPT_NOSIGNAL, 1)
            && number(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits.connecting))
            && number(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, limits.whole))
            && number(CURLOPT_TIMEOUT_MS, milliseconds(limits.whole))
            && number(CURLOPT_FRESH_CONNECT, 1) && number(CURLOPT_FORBID_REUSE, 1)
    }

    private func secure(_ server: SMTPServer, _ authorities: String?) -> Bool {
        guard portico_curl_start_tls(handle, server.security == .none ? 0 : 1) != 0,
            number(CURLOPT_SSL_VERIFYPEER, 1), number(CURLOPT_SSL_VERIFYHOST, 2),
            number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        else { return false }
        guard let authorities else { return true }
        return text(CURLOPT_CAINFO, authorities) && text(CURLOPT_CAPATH, nil)
    }

    private func logIn(_ server: SMTPServer, _ password: SecretText?) -> Bool {
        guard let user = server.user, let password else { return true }
        // With TLS nothing else is needed (RFC 4954 §4), and no Kerberos ticket of the machine is
        // used.
        return text(CURLOPT_USERNAME, user) && text(CURLOPT_PASSWORD, password.reveal())
            && text(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
    }

    private func envelope(
        _ mail: Mail,
        _ recipients: UnsafeMutablePointer<curl_slist>,
        size: Int
    ) -> Bool {
        text(CURLOPT_MAIL_FROM, mail.from.address.text)
            && portico_curl_list(handle, CURLOPT_MAIL_RCPT, recipients) != 0
            && number(CURLOPT_UPLOAD, 1) && portico_curl_size(handle, Int64(size)) != 0
    }

    private func text(_ option: CURLoption, _ text: String?) -> Bool {
        portico_curl_text(handle, option, text) != 0
    }

    private func number(_ option: CURLoption, _ number: Int) -> Bool {
        portico_curl_number(handle, option, number) != 0
    }

    private func milliseconds(_ seconds: Int) -> Int {
        min(max(seconds, 1), 3600) * 1000
    }

    // MARK: Callbacks

    private func listen() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return portico_curl_callbacks(
            handle,
            context,
            { buffer, size, count, context in
                CurlTransfer.from(context)?.read(into: buffer, size * count) ?? 0
            },
            { buffer, size, count, context in
                CurlTransfer.from(context)?.take(buffer, size * count)
                return size * count
            },
            // Only replies arrive; without this they would go to the process's output.
            { _, size, count, _ in size * count },
            { context, _, _, _, _ in
                CurlTransfer.from(context)?.cancellation.isCancelled == true ? 1 : 0
            }
        ) != 0
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into buffer: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int {
        guard let buffer else { return 0 }
        let count = min(size, unsent.count)
        UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(
            from: unsent.prefix(count)
        )
        unsent = unsent.dropFirst(count)
        return count
    }

    private func take(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int) {
        guard let buffer else { return }
        replies.append(UnsafeRawBufferPointer(start: buffer, count: size))
    }

    private func failure(_ result: CURLcode) -> DeliveryFailure? {
        guard result != CURLE_OK else { return nil }
        return replies.failure(CurlOutcome(result))
    }
}
