import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// The methods of the PDS (AT Protocol, HTTP API): `/xrpc/{method}`.
struct XRPCMethods: Sendable {
    let host: ATHost
    let access: ATHostAccessCheck
    let headers: SecurityHeaders

    func answer(to context: RequestContext) async -> Response {
        await host.answer(.xrpc, context.received, headers) { await answer(context, $0) }
    }

    private func answer(_ context: RequestContext, _ faults: ATHostFaults) async -> Response {
        let name = String(context.target.segments.last ?? "")
        do throws(XRPCError) {
            let method = XRPCMethod(rawValue: name)
            if let method, context.method != method.verb {
                var error = XRPCError.invalid(
                    "Incorrect HTTP method (\(context.method.rawValue)) expected "
                        + method.verb.rawValue
                )
                error.givesNonce = false
                throw error
            }
            return try await answer(context, method, faults)
        } catch {
            return giving(error.givesNonce, error.response(headers), faults)
        }
    }

    private func answer(
        _ context: RequestContext,
        _ method: XRPCMethod?,
        _ faults: ATHostFaults
    ) async throws(XRPCError) -> Response {
        if method == .listRecords {
            do throws(XRPCError) {
                return json(try listRecords(context))
            } catch {
                var error = error
                error.givesNonce = false
                throw error
            }
        }
        let access = try await access(context, faults)
        let body: JSONObject
        switch method {
        case .getSession: body = session(access)
        case .createRecord: body = try createRecord(context, access)
        case .uploadBlob: body = try uploadBlob(context, access)
        default: throw .upstream
        }
        return giving(true, json(body), faults)
    }

    private func json(_ body: JSONObject) -> Response {
        Response(json: .object(body), headers: headers)
    }

    private func giving(_ nonce: Bool, _ response: Response, _ faults: ATHostFaults) -> Response {
        var response = response
        var exposed: [HTTPField] = []
        if nonce, !faults.givesNoNonce.contains(.xrpc) {
            let moment = host.clock.moment()
            response.headers[.dpopNonce] =
                faults.alwaysAsksForNonce.contains(.xrpc)
                ? moment.random.text(16) : host.nonces.current(at: moment.seconds)
            exposed.append(HTTPField(name: .accessControlExposeHeaders, value: "DPoP-Nonce"))
        }
        if response.headers[.wwwAuthenticate] != nil {
            exposed.append(HTTPField(name: .accessControlExposeHeaders, value: "WWW-Authenticate"))
        }
        return response.adding(exposed)
    }
}

/// What the PDS answers itself; a service behind it would answer every other method.
enum XRPCMethod: String {
    case listRecords = "com.atproto.repo.listRecords"
    case getSession = "com.atproto.server.getSession"
    case createRecord = "com.atproto.repo.createRecord"
    case uploadBlob = "com.atproto.repo.uploadBlob"

    var verb: HTTPRequest.Method {
        switch self {
        case .listRecords, .getSession: .get
        case .createRecord, .uploadBlob: .post
        }
    }
}

extension XRPCMethods {
    /// `com.atproto.server.getSession`
    func session(_ access: ATHostAccess) -> JSONObject {
        var session: JSONObject = [
            "did": .string(access.person.did), "handle": .string(access.person.handle),
            "active": true,
        ]
        guard access.scope.permitsEmail else { return session }
        session["email"] = .string(access.person.email)
        session["emailConfirmed"] = true
        return session
    }
}

extension Scope {
    fileprivate var permitsEmail: Bool {
        tokens.contains { token in
            switch ATScope(token) {
            case .transitionEmail, .account(.email, _): true
            default: false
            }
        }
    }
}

extension XRPCMethods {
    /// `com.atproto.repo.createRecord`
    func createRecord(_ context: RequestContext, _ access: ATHostAccess) throws(XRPCError)
        -> JSONObject
    {
        let input: JSONObject
        do {
            input = try JSONObject(parsing: context.received.body.readableBytesView)
        } catch {
            throw .invalid("Expected a JSON object as the body")
        }
        guard let repo = input.string("repo"), let collection = input.string("collection"),
            Self.isCollection(collection), let value = input.object("record")
        else { throw .invalid("Input must have repo, collection and record") }
        guard account(repo)?.did == access.person.did else {
            throw .invalid("The repo is another account's")
        }
        guard access.scope.permitsCreating(in: collection) else {
            throw .scope("repo:\(collection)?action=create")
        }
        let contentID = ContentID.ofRecord(value.serialized())
        let now = context.moment.now
        let (key, revision) = host.memory.withLock { memory in
            let record = ATHostRecord(
                collection: collection,
                key: memory.timeID(at: now),
                contentID: contentID,
                value: value
            )
            memory.keep(record, of: access.person.did)
            return (record.key, memory.timeID(at: now))
        }
        return [
            "uri": .string("at://\(access.person.did)/\(collection)/\(key)"),
            "cid": .string(contentID),
            "commit": [
                "cid": .string(ContentID.ofRecord(Array(revision.utf8))),
                "rev": .string(revision),
            ],
            "validationStatus": "valid",
        ]
    }

    /// `com.atproto.repo.listRecords`: the newest first.
    func listRecords(_ context: RequestContext) throws(XRPCError) -> JSONObject {
        let query: FormParameters
        do {
            query = try FormParameters(query: context.target)
        } catch {
            throw .invalid(error.description)
        }
        guard let repo = query["repo"], let collection = query["collection"] else {
            throw .invalid("Params must have repo and collection")
        }
        guard let limit = Int(digits: (query["limit"] ?? "50").utf8, atMost: 3),
            1...100 ~= limit
        else { throw .invalid("limit must be 1 to 100") }
        guard let person = account(repo) else {
            throw .invalid("Could not find repo: \(repo)")
        }
        var records = Array(
            host.memory.withLock { $0.records(of: person.did, in: collection) }.reversed()
        )
        if let cursor = query["cursor"] {
            records.removeAll { !$0.key.utf8.lexicographicallyPrecedes(cursor.utf8) }
        }
        let page = records.prefix(limit)
        var answer: JSONObject = [
            "records": .array(
                page.map { record in
                    [
                        "uri": .string("at://\(person.did)/\(collection)/\(record.key)"),
                        "cid": .string(record.contentID), "value": .object(record.value),
                    ]
                }
            )
        ]
        if let last = page.last { answer["cursor"] = .string(last.key) }
        return answer
    }

    /// `com.atproto.repo.uploadBlob`. The file is hashed, and not kept.
    func uploadBlob(_ context: RequestContext, _ access: ATHostAccess) throws(XRPCError)
        -> JSONObject
    {
        guard let type = context.headers[.contentType]?.prefix(while: { $0 != ";" }) else {
            throw .invalid("Request encoding (Content-Type) required but not provided")
        }
        guard access.scope.permitsUploading(String(type)) else { throw .scope("blob:\(type)") }
        let bytes = context.received.body.readableBytesView
        guard bytes.count <= host.longestBlob else {
            throw XRPCError(
                status: .contentTooLarge,
                error: "PayloadTooLarge",
                message: "request entity too large"
            )
        }
        return [
            "blob": [
                "$type": "blob",
                "ref": ["$link": .string(ContentID.ofFile(bytes))],
                "mimeType": .string(String(type)),
                "size": .integer(Int64(bytes.count)),
            ]
        ]
    }

    /// By DID or handle.
    private func account(_ repo: String) -> ATHostPerson? {
        host.person(did: repo) ?? host.person(handle: repo)
    }

    /// The name of a kind of records, as a permission has it.
    private static func isCollection(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isLetterOrDigit || ".-".utf8.contains($0) }
            && ATScope("repo:\(text)") != nil
    }
}

extension Scope {
    fileprivate func permitsCreating(in collection: String) -> Bool {
        tokens.contains { token in
            switch ATScope(token) {
            case .transitionGeneric: true
            case .repo(let collections, let actions):
                actions.contains(.create)
                    && collections.contains { $0 == "*" || sameBytes($0, collection) }
            default: false
            }
        }
    }

    fileprivate func permitsUploading(_ type: String) -> Bool {
        let family = type.prefix { $0 != "/" } + "/*"
        return tokens.contains { token in
            switch ATScope(token) {
            case .transitionGeneric: true
            case .blob(let types):
                types.contains { range in
                    ["*/*", String(family), type].contains { sameBytes($0, range) }
                }
            default: false
            }
        }
    }
}

/// The name of content by its hash (CID version 1 with SHA-256, in base32).
package enum ContentID {
    /// In a real host of the encoded record (DAG-CBOR); here of its JSON.
    static func ofRecord(_ bytes: some Collection<UInt8>) -> String { of(bytes, codec: 0x71) }

    package static func ofFile(_ bytes: some Collection<UInt8>) -> String { of(bytes, codec: 0x55) }

    private static func of(_ bytes: some Collection<UInt8>, codec: UInt8) -> String {
        "b" + Base32.encode([1, codec, 0x12, 0x20] + Hash256(of: bytes).bytes).lowercased()
    }
}
