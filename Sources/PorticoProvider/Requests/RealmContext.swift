import HTTPTypes
import PorticoAdministration
import PorticoBytes
package import PorticoPages
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// A request to a realm: having one is the proof that the realm exists.
package struct RealmContext: PageContext {
    package let request: RequestContext
    let realm: LiveRealm
    /// The language of the pages: `ui_locales` takes effect if a request has it.
    package private(set) var language: Language
    let asking = AskingClient()

    init(_ request: RequestContext, _ realm: LiveRealm) {
        self.request = request
        self.realm = realm
        language = .best(
            uiLocales: nil,
            acceptLanguage: request.headers[.acceptLanguage],
            otherwise: realm.realm.defaultLanguage
        )
    }

    /// The parameters of a program's request: a form (RFC 6749 §3.2), or JSON where clients in browsers
    /// send it so (``RealmProfile/Endpoints/oauth``).
    func programForm() throws(FormRefusal) -> FormParameters {
        switch realm.realm.profile.endpoints {
        case .openIDConnect: try form()
        case .oauth: try FormParameters(formOrJSON: request.received)
        }
    }

    /// An address of its realm.
    func path(_ path: RealmPath) -> String { RealmURLs.path(realmName: realm.name, path) }

    package var owner: String? { realm.displayName }

    /// Switches to the language that the request's parameters ask for (`ui_locales`).
    mutating func speak(_ form: FormParameters) {
        language = .best(
            uiLocales: form["ui_locales"],
            acceptLanguage: headers[.acceptLanguage],
            otherwise: realm.realm.defaultLanguage
        )
    }
}

/// The client of a request, once it has authenticated, or if it has nothing to prove. It determines
/// which scripts may read the answer, including errors.
final class AskingClient: Sendable {
    private let noted = Locked<Client?>(nil)

    var client: Client? { noted.withLock { $0 } }

    func note(_ client: Client?) {
        noted.withLock { $0 = client }
    }
}

extension RealmContext {
    /// - Parameter account: A person's id, or the name that was typed.
    func asker(_ account: String, isSuspect: Bool = false) -> HashingAsker {
        HashingAsker(address: address, account: "\(realm.id) \(account)", isSuspect: isSuspect)
    }
}

/// The answer to a program at an address for people.
struct ProgramRefusal: Error {
    let error: any Error
}
