import HTTPTypes
import PorticoBytes
package import PorticoPages
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// A request to a realm: having one is the proof that the realm is there.
package struct RealmContext: PageContext {
    package let request: RequestContext
    let realm: LiveRealm
    /// What the pages speak: `ui_locales` is added where a request has it.
    package private(set) var language: Language
    let asking = AskingClient()

    init(_ request: RequestContext, _ realm: LiveRealm) {
        self.request = request
        self.realm = realm
        language = .best(uiLocales: nil, acceptLanguage: request.headers[.acceptLanguage])
    }

    package var owner: String? { realm.displayName }

    /// From here on in the language that the parameters of a request ask for (`ui_locales`).
    mutating func speak(_ form: FormParameters) {
        language = .best(
            uiLocales: form["ui_locales"],
            acceptLanguage: headers[.acceptLanguage]
        )
    }
}

/// The client that asks, once it has proven itself, or has nothing to prove. It says whose scripts may
/// read the answer, an error's too.
final class AskingClient: Sendable {
    private let noted = Locked<Client?>(nil)

    var client: Client? { noted.withLock { $0 } }

    func note(_ client: Client?) {
        noted.withLock { $0 = client }
    }
}
