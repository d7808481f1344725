import HTTPTypes
import PorticoBytes
package import PorticoPages
package import PorticoProtocol
package import PorticoStores
package import PorticoWeb

/// A request to the sign-in core or the backend, with what every endpoint needs to know about it.
package struct SignInContext: PageContext {
    package let request: RequestContext
    package let parameters: PathParameters
    package let language: Language
    /// Whose pages they are; `nil`: the backend's.
    let realm: Realm?
    /// Without a realm the service's name, which the pages already have.
    package var owner: String? { realm?.displayName }

    package init(
        _ request: RequestContext,
        _ parameters: PathParameters = PathParameters(),
        in realm: Realm? = nil
    ) {
        self.request = request
        self.parameters = parameters
        self.realm = realm
        // `try?`: the code that reads a malformed query reports it.
        let query = try? FormParameters(query: request.target)
        language = .best(
            uiLocales: query?["ui_locales"],
            acceptLanguage: request.headers[.acceptLanguage],
            otherwise: realm?.defaultLanguage
        )
    }

    /// The provider named in the path.
    package var provider: Substring { parameters["provider"] }

    /// The query, each parameter at most once (attack E07).
    package func query() throws(ServiceError) -> FormParameters {
        let query: FormParameters
        do {
            query = try FormParameters(query: target)
        } catch {
            throw ServiceError(.invalidRequest, "The query is malformed.")
        }
        try Self.refuseRepeats(query)
        return query
    }

    /// The body of a form post, each parameter at most once.
    package func form(upTo maximum: Int = 64 * 1024) throws(ServiceError) -> FormParameters {
        let form: FormParameters
        do {
            form = try FormParameters(body: request.received, upTo: maximum)
        } catch {
            switch error {
            case .tooLong:
                throw ServiceError(.tooLarge, "The body is larger than this address takes.")
            case .invalid, .mediaType:
                throw ServiceError(.invalidRequest, "The body is not a form.")
            }
        }
        try Self.refuseRepeats(form)
        return form
    }

    private static func refuseRepeats(_ form: FormParameters) throws(ServiceError) {
        guard let name = form.firstRepeated else { return }
        throw ServiceError(
            .invalidRequest,
            parameter: FormParameters.known(name),
            "is given more than once."
        )
    }

    /// The address of the page that a form came from: it posts to its own, with what the page was opened
    /// with.
    func page(of form: FormParameters) -> String {
        let kept = ["for", "return_to", "request"].compactMap { name in
            form[name].map { (name: name, value: $0) }
        }
        guard !kept.isEmpty else { return target.path }
        return FormEncoding.appending(kept, to: target.path)
    }

    /// Whether the caller is a program that accepts JSON rather than a page or redirect.
    package var wantsJSON: Bool {
        let accept = headers[values: .accept].joined(separator: ",").lowercased()
        return accept.hasBytes("application/json") && !accept.hasBytes("text/html")
    }

    /// Whether a browser opens the address as a page, whatever it is.
    var opensPage: Bool {
        (method == .get || method == .head)
            && headers[values: .accept].joined(separator: ",").lowercased().hasBytes("text/html")
    }

    /// The user agent of the browser or app, for the list of devices.
    package var userAgent: String? {
        headers[.userAgent].map { String(ShownText($0, limit: 300).text) }
    }
}
