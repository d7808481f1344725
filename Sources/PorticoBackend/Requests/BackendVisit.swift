import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// One request to the BFF, with what every endpoint needs to know about it.
struct BackendVisit: Sendable {
    let request: Request
    let target: RequestTarget
    let moment: Moment
    /// The short id that the log line carries, and that pages show.
    let requestID: String
    let client: ClientAddress
    var language: Language

    init(_ arrival: Arrival, at moment: Moment) {
        request = arrival.request
        target = arrival.target
        client = arrival.client
        requestID = arrival.id.text
        self.moment = moment
        // `try?`: a query that is malformed is told by whoever reads it.
        let query = try? FormParameters(query: arrival.target)
        language = .best(
            uiLocales: query?["ui_locales"],
            acceptLanguage: arrival.request.headers[.acceptLanguage]
        )
    }

    var now: Int64 { moment.seconds }

    var headers: HTTPFields { request.headers }

    /// Who is at the other end, for rate limits.
    var address: String { client.limitKey }

    /// The query, each parameter at most once (attack E07).
    func query() throws(BackendError) -> FormParameters {
        do {
            let query = try FormParameters(query: target)
            try query.refuseRepeats()
            return query
        } catch {
            throw BackendError(.invalidRequest, "The query is malformed, or repeats a parameter.")
        }
    }

    /// The body of a form post.
    func form(upTo maximum: Int = 64 * 1024) async throws(BackendError) -> FormParameters {
        do {
            let form = try await FormParameters(body: request, upTo: maximum)
            try form.refuseRepeats()
            return form
        } catch let refusal as FormRefusal {
            guard refusal != .tooLong else {
                throw BackendError(.tooLarge, "The body is larger than this address takes.")
            }
            throw BackendError(.invalidRequest, "The body is not a form.")
        } catch {
            throw BackendError(.invalidRequest, "The body repeats a parameter.")
        }
    }

    /// Whether the caller is a program that wants JSON rather than a page or redirect.
    var wantsJSON: Bool {
        let accept = headers[values: .accept].joined(separator: ",").lowercased()
        return accept.hasBytes("application/json") && !accept.hasBytes("text/html")
    }

    /// The browser or app as it calls itself, for the list of devices.
    var userAgent: String? {
        headers[.userAgent].map { String(ShownText($0, limit: 300).text) }
    }
}
