package import HTTPTypes
package import PorticoAdministration
package import PorticoPages

extension PasswordHashing.Busy: Refusal {
    package var name: String { "busy" }
    package var status: HTTPResponse.Status { .serviceUnavailable }
    package var issue: ErrorPage.Issue { .busy }
}
