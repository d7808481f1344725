import HTTPTypes
import PorticoBytes
import PorticoPages

/// An address that answers only where the realm's settings say so.
struct NotOffered: Refusal {
    var name: String { "not_offered" }
    var status: HTTPResponse.Status { .notFound }
    var issue: ErrorPage.Issue { .notFound }

    func page(at moment: Moment) -> any Page { ErrorPage(issue: .notFound) }
}
