import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol

/// What there is no address or no method for, in Keycloak's words, which its clients recognise.
struct KeycloakRefusal: Refusal {
    let ours: any Refusal

    var name: String { ours.name }
    var status: HTTPResponse.Status { ours.status }
    var json: JSONValue? {
        ["error": .string("HTTP \(status.code) \(status.reasonPhrase)")]
    }

    func page(at moment: Moment) -> any Page { ours.page(at: moment) }
}

extension LiveRealm {
    var notFound: any Refusal {
        keycloak == nil ? NotFound() : KeycloakRefusal(ours: NotFound())
    }

    var methodNotAllowed: any Refusal {
        keycloak == nil ? MethodNotAllowed() : KeycloakRefusal(ours: MethodNotAllowed())
    }
}
