import CCurl
import HTTPTypes
import PorticoProtocol

/// Why an exchange has no reply.
struct CurlFailure: Error {
    let error: HTTPTransportError
    /// Whether no connection came about, so that nothing was sent.
    var isUnconnected = false
}

/// One request and its reply on one handle of libcurl's. Who makes it hands it to a ``CurlThread``, which
/// alone uses it from then on.
final class CurlExchange: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    let request: CurlRequest
    /// Resumed once.
    var continuation: CheckedContinuation<Result<HTTPReply, CurlFailure>, Never>?
    /// Read and written under the lock of the thread.
    var isCancelled = false
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var head = ReplyHead()
    private var body: [UInt8] = []
    private let share: CapacityShare?
    /// How many bytes of it are the body's, with those that were announced.
    private var reserved = 0
    /// In how many parts the body came so far.
    private var parts = 0
    private var refusal: HTTPTransportError?
    private var wasSent = false
    /// How much of a stored body libcurl has got.
    private var taken = 0

    /// Once for the process.
    private static let isLibraryStarted = portico_curl_start() != 0

    /// - Returns: `nil` where libcurl refuses: there is no memory, or it lacks what is asked of it.
    init?(_ request: CurlRequest, _ route: CurlRoute?) {
        guard Self.isLibraryStarted, let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.request = request
        share = request.answers.map {
            CapacityShare(of: $0, for: request.address.server, request.person)
        }
        guard address(route), message(), secure(), listen() else { return nil }
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    /// - Parameter code: What libcurl says of it.
    func end(_ code: CURLcode) {
        if let refusal { return end(.failure(CurlFailure(error: refusal))) }
        guard code == CURLE_OK else { return end(.failure(failure(code))) }
        guard let response = head.response else {
            return end(.failure(CurlFailure(error: .malformed)))
        }
        var reply = HTTPReply(response: response, body: body)
        reply.held = share
        end(.success(reply))
    }

    func end(_ result: Result<HTTPReply, CurlFailure>) {
        continuation?.resume(returning: result)
        continuation = nil
    }

    private func failure(_ code: CURLcode) -> CurlFailure {
        let mayBeUnconnected = [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT].contains(code)
        return CurlFailure(
            error: HTTPTransportError(code),
            isUnconnected: mayBeUnconnected && !wasSent && portico_curl_is_connected(handle) == 0
        )
    }

    // MARK: Options

    private func address(_ route: CurlRoute?) -> Bool {
        let address = request.address
        let isOnly =
            address.isSecure ? portico_curl_https_only(handle) : portico_curl_http_only(handle)
        return isOnly != 0 && text(CURLOPT_URL, "\(address.origin)/")
            // Byte for byte: libcurl would take dots out of a path.
            && text(CURLOPT_REQUEST_TARGET, address.target)
            && (route.map { list(CURLOPT_CONNECT_TO, [$0.text]) } ?? true)
            // Neither a proxy nor a password comes out of the environment or a home folder.
            && text(CURLOPT_PROXY, "") && number(CURLOPT_NETRC, 0)
            // HTTPTransport's promise: a redirect is a reply like any other.
            && number(CURLOPT_FOLLOWLOCATION, 0)
            // Signals are the whole process's: time limits go without.
            && number(CURLOPT_NOSIGNAL, 1)
            && number(CURLOPT_CONNECTTIMEOUT_MS, 5000)
            // A question to DNS that is given up is not waited for.
            && number(CURLOPT_QUICK_EXIT, 1)
            && number(CURLOPT_FRESH_CONNECT, request.isPooled ? 0 : 1)
            && number(CURLOPT_FORBID_REUSE, request.isPooled ? 0 : 1)
            && number(CURLOPT_MAXAGE_CONN, 60)
            // libcurl reads up to a hundred of these before it serves the next exchange.
            && number(CURLOPT_BUFFERSIZE, 4096)
    }

    private func message() -> Bool {
        // One way to read an answer. Without HTTP/2 each request under way has a connection.
        guard number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // A small compressed body must not become a large one.
            number(CURLOPT_HTTP_CONTENT_DECODING, 0), list(CURLOPT_HTTPHEADER, request.fieldLines)
        else { return false }
        if request.method == .head { return number(CURLOPT_NOBODY, 1) }
        if let stored = request.stored {
            guard number(CURLOPT_POST, 1), read(stored) else { return false }
        } else if !request.body.isEmpty || [.post, .put].contains(request.method) {
            let isTaken = request.body.withUnsafeBytes {
                portico_curl_post(handle, $0.baseAddress, Int64($0.count)) != 0
            }
            guard isTaken, number(CURLOPT_POST, 1) else { return false }
        }
        return text(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func read(_ stored: any StoredBytes) -> Bool {
        let isTaken = portico_curl_upload(
            handle,
            Unmanaged.passUnretained(self).toOpaque(),
            Int64(stored.count)
        ) { start, size, count, context in
            let buffer = UnsafeMutableRawBufferPointer(start: start, count: size * count)
            return CurlExchange.from(context)?.next(buffer) ?? Int(CURL_READFUNC_ABORT)
        }
        return isTaken != 0
            // The deadline alone would let a server that takes nothing keep the body for long.
            && number(CURLOPT_LOW_SPEED_LIMIT, CurlRequest.stalled.bytes)
            && number(CURLOPT_LOW_SPEED_TIME, CurlRequest.stalled.seconds)
    }

    private func secure() -> Bool {
        guard number(CURLOPT_SSL_VERIFYPEER, 1), number(CURLOPT_SSL_VERIFYHOST, 2),
            // RFC 9325 §3.1.1: nothing older.
            number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        else { return false }
        // Hosts that strangers name, which get no pool, must not choose how large the numbers are with
        // which this thread computes, nor for how long it reads.
        guard
            request.isPooled
                || text(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:!kDHE")
                    && text(CURLOPT_SSL_EC_CURVES, "X25519:P-256:P-384:P-521")
                    && portico_curl_in_turns(handle) != 0
        else { return false }
        if let roots = request.trustedRoots {
            return text(CURLOPT_CAINFO, roots) && text(CURLOPT_CAPATH, nil)
        }
        // libcurl keeps the roots of a file from one connection to the next, but not a folder's.
        return !Self.hasBundle || text(CURLOPT_CAPATH, nil)
    }

    private static let hasBundle = portico_curl_has_bundle() != 0

    private func text(_ option: CURLoption, _ text: String?) -> Bool {
        portico_curl_text(handle, option, text) != 0
    }

    private func number(_ option: CURLoption, _ number: Int) -> Bool {
        portico_curl_number(handle, option, number) != 0
    }

    private func list(_ option: CURLoption, _ lines: [String]) -> Bool {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                return false
            }
            list = longer
        }
        if let list { lists.append(list) }
        return portico_curl_list(handle, option, list) != 0
    }

    // MARK: Callbacks

    /// The next part of a stored body; `nil` if it cannot be read.
    private func next(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let count = request.stored?.read(at: taken, into: buffer) else { return nil }
        taken += count
        return count
    }

    private func listen() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return portico_curl_exchange(
            handle,
            context,
            { line, size, count, context in
                CurlExchange.take(line, size * count, context, CurlExchange.readHead)
            },
            { part, size, count, context in
                CurlExchange.take(part, size * count, context, CurlExchange.readBody)
            },
            { context, _, _, _, _ in
                CurlExchange.from(context)?.mayBeSent() == true
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        ) != 0
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: What is not `count` ends the exchange.
    private static func take(
        _ start: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ read: (CurlExchange) -> (UnsafeRawBufferPointer) throws(HTTPTransportError) -> Void
    ) -> Int {
        guard let exchange = from(context) else { return 0 }
        do {
            try read(exchange)(UnsafeRawBufferPointer(start: start, count: count))
            return count
        } catch {
            exchange.refusal = error
            return count == 0 ? 1 : 0
        }
    }

    private func readHead(_ line: UnsafeRawBufferPointer) throws(HTTPTransportError) {
        let isTrailer = head.response != nil
        try head.append(line)
        guard request.method != .head, let length = head.announcedLength else { return }
        guard length <= request.limit else { throw .tooLarge }
        // The others must not take what is missing of an answer that has begun. These have no content
        // (RFC 9110 §6.4.1), whatever length they say.
        let isEmpty = [204, 304].contains(head.response?.status.code)
        if !isTrailer, !isEmpty { try reserve(length) }
    }

    private func reserve(_ length: Int) throws(HTTPTransportError) {
        guard length > reserved else { return }
        guard share?.take(length - reserved) ?? true else { throw .noRoom }
        reserved = length
    }

    private func readBody(_ part: UnsafeRawBufferPointer) throws(HTTPTransportError) {
        if parts == 0 {
            guard let response = head.response else { throw .malformed }
            guard isWanted(HTTPReply(response: response, body: [])) else { throw .wrongType }
        }
        guard part.count <= request.limit - body.count else { throw .tooLarge }
        let length = body.count + part.count
        parts += 1
        guard parts <= Self.mostParts(length) else { throw .malformed }
        if length > reserved { try reserve(max(length, reserved + Self.step)) }
        body.append(contentsOf: part)
    }

    /// The host cuts the parts, and one byte costs as much as thousands: all other requests of this
    /// thread wait for it.
    private static func mostParts(_ length: Int) -> Int { 4096 + length / 4 }

    /// What a body takes that did not announce its length.
    private static let step = 64 * 1024

    /// A type that was not asked for is not read: no other site's pages, archives or images get in.
    private func isWanted(_ reply: HTTPReply) -> Bool {
        guard let mediaTypes = request.mediaTypes else { return true }
        return reply.mediaType.map(mediaTypes.contains) ?? false
    }

    /// libcurl would send a request again whose connection ended before an answer. Whether to try again
    /// is for the caller to say: a code is spent by the first try.
    private func mayBeSent() -> Bool {
        guard !wasSent else {
            refusal = .unreachable
            return false
        }
        wasSent = true
        return true
    }
}

extension HTTPTransportError {
    fileprivate init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_INVALIDCERTSTATUS:
                .untrusted
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
                .malformed
            default: .unreachable
            }
    }
}
