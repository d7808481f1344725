import HTTPTypes
import NIOCore
package import PorticoBytes
import PorticoProtocol
package import PorticoStandIns
import PorticoWeb

/// The stand-ins for Google, Facebook, Apple and an OpenID provider as tests have them: with a log, and
/// with faults.
package final class ScriptedStandIns: Sendable {
    package let standIns: StandIns
    package let log: RequestLog<StandInCall>
    let faults: Locked<[StandInKind: StandInFaults]>

    package init(baseURL: String, clock: Clock = .system) throws {
        let log = RequestLog<StandInCall>()
        let faults = Locked<[StandInKind: StandInFaults]>([:])
        let keys = try StandInKeys.all.get()
        standIns = try StandIns(baseURL: baseURL, clock: clock, keys: keys) { call, answer in
            log.append(call)
            let faults = faults.withLock { $0[call.kind] ?? StandInFaults() }
            return await StandInScript(faults: faults, key: keys[call.kind])
                .answer(to: call, by: answer)
        }
        self.log = log
        self.faults = faults
    }

    /// Changes a stand-in's faults, from the next request on.
    package func configure(_ kind: StandInKind, _ change: (inout StandInFaults) -> Void) {
        faults.withLock { change(&$0[kind, default: StandInFaults()]) }
    }

    /// Removes all faults, at all stand-ins.
    package func repair() {
        faults.withLock { $0 = [:] }
    }

    package func setPeople(_ people: [StandInPerson], at kind: StandInKind) {
        standIns.setPeople(people, at: kind)
    }
}

/// Made once for all tests of a process: RSA keys take their time.
private enum StandInKeys {
    static let all = Result<[StandInKind: SigningKey], any Error> {
        try Dictionary(
            uniqueKeysWithValues: StandInKind.allCases.map { kind in
                (kind, try SigningKey(generating: .rs256, random: .system))
            }
        )
    }
}

/// What becomes of one request.
private struct StandInScript {
    let faults: StandInFaults
    let key: SigningKey?

    func answer(
        to call: StandInCall,
        by answer: @Sendable (StandInCall) async -> Response
    ) async -> Response {
        if call.endpoint.isForServers, faults.delay > .zero {
            // `try?`: the caller has gone.
            try? await Task.sleep(for: faults.delay)
        }
        guard !faults.isDown, !faults.failing.contains(call.endpoint) else {
            return Self.html(.serviceUnavailable)
        }
        var call = call
        if call.endpoint == .authorization { press(in: &call) }
        let response = await answer(call)
        do {
            return try changed(response, to: call)
        } catch {
            return Response(status: .internalServerError)
        }
    }

    /// Presses a button in the person's place.
    private func press(in call: inout StandInCall) {
        let button: (name: String, value: String)
        if faults.authorizationError != nil {
            button = ("cancel", "1")
        } else if let session = faults.oldSession {
            button = ("person", session.person.id)
        } else {
            return
        }
        call.method = .post
        // `try?`: it is a form.
        call.form = (try? FormParameters(decoding: FormEncoding.encode([button]))) ?? call.form
    }

    private func changed(_ response: Response, to call: StandInCall) throws -> Response {
        switch call.endpoint {
        case .authorization: authorization(response, to: call)
        case .token where response.status == .ok: try tokens(response)
        case .discovery: try Self.setting(faults.metadata, in: response)
        case .userInfo where response.status == .ok: try Self.setting(faults.profile, in: response)
        default: response
        }
    }

    private func authorization(_ response: Response, to call: StandInCall) -> Response {
        var response = response
        if let error = faults.authorizationError, let location = response.headers[.location] {
            response.headers[.location] =
                location.replacing("error=access_denied", with: "error=\(error)")
        }
        let html = String(decoding: response.body.readableBytesView, as: UTF8.self)
        guard let user = faults.appleUser, html.contains("name=\"code\"") else { return response }
        let field = HTML.element(.input, [.type: "hidden", .name: "user", .value: user])
        let others = html.replacing(/<input type="hidden" name="user" value="[^"]*">/, with: "")
        return Self.replacing(
            others.replacing(
                "<button>",
                with: String(decoding: field.bytes, as: UTF8.self) + "<button>"
            ).utf8,
            in: response
        )
    }

    private func tokens(_ response: Response) throws -> Response {
        switch faults.tokenAnswer {
        case .right: try signed(response)
        case .refused(let status, let code):
            Response(
                status: HTTPResponse.Status(code: status),
                headers: [.contentType: "application/json"],
                bytes: (["error": .string(code)] as JSONObject).serialized()
            )
        case .errorWithStatusOK(let code):
            Self.replacing((["error": .string(code)] as JSONObject).serialized(), in: response)
        case .redirect(let location):
            Response(status: .found, headers: [.location: location], bytes: [])
        case .html: Self.html(.ok)
        case .truncated:
            Self.replacing(
                response.body.readableBytesView.prefix(response.body.readableBytes / 2),
                in: response
            )
        case .members(let members): try Self.setting(members, in: signed(response))
        }
    }

    /// With the faults of the ID Token.
    private func signed(_ response: Response) throws -> Response {
        var all = faults.idToken
        if let session = faults.oldSession {
            all.insert(.claim("auth_time", NumericDate.value(session.began)), at: 0)
        }
        guard !all.isEmpty, let key else { return response }
        return try Self.changing(response) { json in
            guard let token = json.string("id_token") else { return }
            let claims = try JWT(parsing: token).uncheckedClaims()
            json["id_token"] = .string(try key.sign(claims, .jwt, with: all))
        }
    }

    private static func html(_ status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8"],
            bytes: Array("<!doctype html><title>Out of order</title>".utf8)
        )
    }

    private static func setting(_ members: [String: JSONValue?], in response: Response) throws
        -> Response
    {
        guard !members.isEmpty else { return response }
        return try changing(response) { json in
            for (name, value) in members { json[name] = value }
        }
    }

    private static func changing(
        _ response: Response,
        _ change: (inout JSONObject) throws -> Void
    ) throws -> Response {
        var json = try JSONObject(parsing: response.body.readableBytesView)
        try change(&json)
        return replacing(json.serialized(), in: response)
    }

    private static func replacing(_ body: some Sequence<UInt8>, in response: Response) -> Response {
        var fields = response.headers
        fields[.contentLength] = nil
        return Response(status: response.status, headers: fields, bytes: Array(body))
    }
}
