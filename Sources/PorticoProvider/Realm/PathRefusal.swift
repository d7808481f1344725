import HTTPTypes
import PorticoBytes
import PorticoPages
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
