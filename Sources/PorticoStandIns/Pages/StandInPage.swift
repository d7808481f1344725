import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// A page of a stand-in: clearly labelled, with one script at most, and unlike the pages of the
/// real provider.
struct StandInPage {
    let kind: StandInKind?
    let title: String
    let body: HTML
    var script: InlineSource?

    var html: [UInt8] {
        let banner =
            kind.map { kind in
                "Stand-in for \(kind.name): nothing here reaches \(kind.name)."
            } ?? "Stand-ins: nothing here reaches anybody."
        return HTML.document(
            language: "en",
            head: HTML([
                .element(.title, .text("\(title) (stand-in)")),
                .meta("viewport", "width=device-width, initial-scale=1"),
                .meta("robots", "noindex"),
                .style(Self.style),
            ]),
            body: .element(
                .body,
                .element(.header, .element(.p, .text(banner))),
                .element(.main, .element(.h1, .text(title)), body),
                script.map { .script($0) }
            )
        ).bytes
    }

    /// The content security policy.
    ///
    /// It has no `form-action`, which would apply to every redirect after the form: a provider does
    /// not decide where a relying party redirects its people next.
    var policy: String {
        let script = script?.hash ?? "'none'"
        return "default-src 'none'; style-src \(Self.style.hash); script-src \(script); "
            + "base-uri 'none'; frame-ancestors 'none'"
    }

    private static let style = InlineSource(
        unescaped: """
            :root{color-scheme:light dark;font:1rem/1.5 sans-serif}
            body{margin:0}
            header{background:#7a1fa2;color:#fff;padding:.5rem 1rem;font-weight:bold}
            header p{margin:0}
            main{max-width:30rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
            ul{list-style:none;padding:0}
            button{font:inherit;display:block;width:100%;min-height:3rem;margin:.5rem 0;\
            padding:.5rem 1rem;text-align:start;overflow-wrap:anywhere}
            button span{display:block}
            label{display:inline-block;padding:.5rem 0}
            """
    )
}

/// An address of the stand-in itself, or the redirect URI that is registered.
struct StandInAddress: HTMLAddress {
    let href: String
}

/// A page with one message.
enum StandInNotice: Sendable {
    case nothing
    case refused(StaticString)

    func page(_ kind: StandInKind?) -> StandInPage {
        switch self {
        case .nothing:
            StandInPage(
                kind: kind,
                title: "There is nothing here",
                body: .element(.p, .text("No endpoint has this address."))
            )
        case .refused(let words):
            StandInPage(
                kind: kind,
                title: "This request is refused",
                body: .element(.p, .text("\(words)"))
            )
        }
    }
}

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
