import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// One request, with what every endpoint needs to know about it.
struct Visit: Sendable {
    let request: Request
    let target: RequestTarget
    /// `nil` where the path names none.
    let realm: LiveRealm?
    let moment: Moment
    /// The short id that the log line carries, and that pages show.
    let requestID: String
    /// Who is at the other end, for rate limits.
    let address: String
    /// What the pages speak: `ui_locales` is added where a request has it.
    var language: Language

    init(
        request: Request,
        target: RequestTarget,
        realm: LiveRealm?,
        moment: Moment,
        requestID: String,
        address: String
    ) {
        self.request = request
        self.target = target
        self.realm = realm
        self.moment = moment
        self.requestID = requestID
        self.address = address
        language = .best(uiLocales: nil, acceptLanguage: request.headers[.acceptLanguage])
    }

    /// Whether a program asks: it says so, or the address is one of the protocol's.
    var isByProgram: Bool {
        ProviderRoute.isOfProtocol(target.path) || AcceptedMedia.isJSON(request.headers)
    }

    /// The values of all `Authorization` header fields.
    var authorization: [String] { request.headers[values: .authorization] }

    /// The parameters of the request: of the body where it is a form post, else of the query
    /// (RFC 6749 §3.1).
    func parameters() async throws -> FormParameters {
        request.method == .post
            ? try await FormParameters(body: request) : try FormParameters(query: target)
    }

    /// The same visit in the language that its parameters ask for (`ui_locales`).
    func speaking(_ form: FormParameters) -> Visit {
        var visit = self
        visit.language = .best(
            uiLocales: form["ui_locales"],
            acceptLanguage: request.headers[.acceptLanguage]
        )
        return visit
    }
}

/// A visit at a realm: having one is the proof that the realm is there.
struct RealmVisit: Sendable {
    var visit: Visit
    let realm: LiveRealm
    let asking = AskingClient()

    init?(_ visit: Visit) {
        guard let realm = visit.realm else { return nil }
        self.visit = visit
        self.realm = realm
    }

    var request: Request { visit.request }
    var moment: Moment { visit.moment }
    var now: Int64 { visit.moment.seconds }
}
