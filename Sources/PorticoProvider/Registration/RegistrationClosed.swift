import HTTPTypes
import PorticoBytes
import PorticoPages

/// People of this realm cannot make an account themselves.
struct RegistrationClosed: Refusal {
    var name: String { "registration_closed" }
    var status: HTTPResponse.Status { .badRequest }
    var issue: ErrorPage.Issue { .registrationClosed }

    func page(at moment: Moment) -> any Page { ErrorPage(issue: issue) }
}
