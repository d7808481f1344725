import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoWeb

/// The visit cookie of this browser, new where it has none: what forms are bound to.
struct VisitCookie: Sendable {
    let value: String
    private let isNew: Bool
    private let cookies: BrowserCookies

    init(_ visit: RealmVisit, _ flow: BrowserFlow) {
        cookies = flow.cookies(of: visit)
        let known = cookies.visit(visit.request.headers)
        value = known ?? FormToken.cookie(random: visit.moment.random)
        isNew = known == nil
    }

    func setting() throws -> [HTTPField] {
        isNew ? [try cookies.setVisit(value)] : []
    }
}
