package import HTTPTypes
package import PorticoAdministration
import PorticoBytes
package import PorticoPages
import PorticoProtocol
import PorticoStores

/// What there is no address or no method for, in the words that programs recognise there.
struct PathRefusal: Refusal {
    let ours: any Refusal

    var name: String { ours.name }
    var status: HTTPResponse.Status { ours.status }
    var json: JSONValue? {
        ["error": .string("HTTP \(status.code) \(status.reasonPhrase)")]
    }

    func page(at moment: Moment) -> any Page { ours.page(at: moment) }
}

extension LiveRealm {
    var notFound: any Refusal { refusal(NotFound()) }
    var methodNotAllowed: any Refusal { refusal(MethodNotAllowed()) }

    private func refusal(_ ours: some Refusal) -> any Refusal {
        switch realm.errorStyle {
        case .code: ours
        case .phrase: PathRefusal(ours: ours)
        }
    }
}

/// The realm's settings turn this address off.
struct NotOffered: Refusal {
    var name: String { "not_offered" }
    var status: HTTPResponse.Status { .notFound }
    var issue: ErrorPage.Issue { .notFound }

    func page(at moment: Moment) -> any Page { ErrorPage(issue: .notFound) }
}

/// People of this realm cannot make an account themselves.
struct RegistrationClosed: Refusal {
    var name: String { "registration_closed" }
    var status: HTTPResponse.Status { .badRequest }
    var issue: ErrorPage.Issue { .registrationClosed }

    func page(at moment: Moment) -> any Page { ErrorPage(issue: issue) }
}

extension PasswordHashing.Busy: Refusal {
    package var name: String { "busy" }
    package var status: HTTPResponse.Status { .serviceUnavailable }
    package var issue: ErrorPage.Issue { .busy }
}
