import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// Writes the answers of the stand-ins.
struct StandInAnswers {
    let standIns: StandIns
    let headers: SecurityHeaders

    /// A disc with a letter: an image of no real person.
    func picture(_ call: StandInCall) -> Response {
        let people = standIns.people(at: call.kind)
        guard let person = people.first(where: { $0.id == call.segments.last }) else {
            return page(.nothing, call.kind)
        }
        let letter = person.name.first { $0.isLetter }.map(String.init) ?? "?"
        let image = HTML.element(
            .svg,
            [
                .xmlns: "http://www.w3.org/2000/svg", .viewBox: "0 0 96 96", .width: "96",
                .height: "96",
            ],
            .element(.circle, [.cx: "48", .cy: "48", .r: "48", .fill: "#7a1fa2"]),
            .element(
                .text,
                [.x: "48", .y: "64", .fontSize: "48", .textAnchor: "middle", .fill: "#fff"],
                .text(letter)
            )
        )
        var fields = headers.plain
        fields[.contentType] = "image/svg+xml"
        return Response(status: .ok, headers: fields, bytes: image.bytes)
    }

    func refuse(_ refusal: StandInRefusal, _ call: StandInCall) -> Response {
        if let (status, body) = refusal.json { return json(body, status) }
        guard case .page(let words) = refusal else { return page(.nothing, call.kind) }
        return page(.refused(words), call.kind, .badRequest)
    }

    func json(
        _ object: JSONObject,
        _ status: HTTPResponse.Status = .ok,
        adding extra: HTTPFields = [:]
    ) -> Response {
        Response(json: .object(object), status: status, headers: headers, adding: extra)
    }

    func page(
        _ notice: StandInNotice,
        _ kind: StandInKind?,
        _ status: HTTPResponse.Status? = nil
    ) -> Response {
        var fallback = HTTPResponse.Status.ok
        if case .nothing = notice { fallback = .notFound }
        return page(notice.page(kind), status ?? fallback)
    }

    func page(_ page: StandInPage, _ status: HTTPResponse.Status = .ok) -> Response {
        var fields = headers.plain
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] = page.policy
        if let name = HTTPField.Name("X-Robots-Tag") { fields[name] = "noindex" }
        return Response(status: status, headers: fields, bytes: page.html)
    }

    /// 302, like all of the providers (RFC 6749 §4.1.2).
    func redirect(to location: String) throws -> Response {
        guard let redirect = Redirect(to: location) else {
            throw StandInRefusal.page("The redirect URI cannot stand in a header.")
        }
        var fields = headers.plain
        fields[.location] = redirect.location
        return Response(status: .found, headers: fields)
    }
}
