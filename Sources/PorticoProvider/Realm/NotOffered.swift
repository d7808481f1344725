import HTTPTypes
import PorticoBytes
import PorticoPages

/// The realm's settings turn this address off.
struct NotOffered: Refusal {
    var name: String { "not_offered" }
    var status: HTTPResponse.Status { .notFound }
    var issue: ErrorPage.Issue { .notFound }

    func page(at moment: Moment) -> any Page { ErrorPage(issue: .notFound) }
}
