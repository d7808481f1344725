import HTTPTypes
import PorticoBytes
package import PorticoPages
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// What an error becomes: JSON for programs; for people a page, or the sign-in that it asks for.
extension SignInResponder {
    package func answer(_ error: any Error, _ audience: Audience, _ context: SignInContext)
        -> Response
    {
        switch error {
        case is SessionCheck.Absence
        where context.method == .post && FetchSite.isForeignPost(context.headers, to: page.origin):
            // The cookie is missing because another site sent it.
            return refuse(ForgedForm(), audience, context)
        case let absence as SessionCheck.Absence where audience.isPeople && !context.wantsJSON:
            // `try?`: what is no form is the page itself.
            let form = context.method == .post ? try? context.form() : nil
            let page = form.map(context.page) ?? context.target.path
            return askToSignIn(for: page).logged(error: absence.name)
        case is SecondStepWanted:
            guard audience.isPeople, !context.wantsJSON else {
                return refuse(SessionCheck.Absence.expired, audience, context)
            }
            let page = context.target.path
            return LocalPath(page).flatMap { realmSignIn(backTo: $0) }.map(redirect)
                ?? toSignIn([("return_to", page)])
        case let two as TwoPeople where audience.isPeople && !context.wantsJSON:
            // They see whose it is now.
            return askToSignIn(for: context.target.path).adding([two.cure])
                .logged(error: two.name)
        case let absence as HandleSessionCheck.Absence where context.opensPage:
            // A person who followed a link can sign in again, mostly without typing.
            let query = absence.handle.map { [(name: "handle", value: $0)] } ?? []
            return redirect(FormEncoding.appending(query, to: "/mobile-auth"))
                .logged(error: absence.name)
        case let refusal as any Refusal: return refuse(refusal, audience, context)
        case is StoreBusy: return refuse(ServiceError.busy, audience, context)
        case let error as SQLError where error.whyUnwritable != nil:
            guard audience.isPeople, !context.wantsJSON else {
                return refuse(ServiceError.cannotSave, audience, context)
            }
            return refuse(Unavailable.cannotSave, audience, context)
        default:
            events.failed(error, context)
            let fault = ServiceError(.internalError, "Something went wrong here.")
            return refuse(fault, audience, context)
        }
    }

    /// A page of ours is for a person who has signed in, by whatever method there is.
    private func askToSignIn(for page: String) -> Response {
        LocalPath(page).flatMap { signInOfRealm(backTo: $0) }.map(redirect)
            ?? toSignIn([("return_to", page)])
    }

    package func refuse(_ refusal: any Refusal, _ audience: Audience, _ context: SignInContext)
        -> Response
    {
        page.refuse(
            place.isRealm ? RefusalInRealm(refusal: refusal, place: place) : refusal,
            context.wantsJSON ? .programs : audience,
            context
        )
    }
}

/// The same refusal, whose page leads back to the realm.
private struct RefusalInRealm: Refusal {
    let refusal: any Refusal
    let place: SignInPlace

    var name: String { refusal.name }
    var status: HTTPResponse.Status { refusal.status }
    var json: JSONValue? { refusal.json }
    var retryAfter: Double? { refusal.retryAfter }
    var issue: ErrorPage.Issue { refusal.issue }
    var reason: String? { refusal.reason }

    func fields(realm: String) -> HTTPFields { refusal.fields(realm: realm) }

    func page(at moment: Moment) -> any Page {
        (refusal as? ServiceError)?.page(at: moment, backTo: place) ?? refusal.page(at: moment)
    }
}
