import HTTPTypes
import PorticoWeb

/// Routes a request to its endpoint.
struct StandInDispatch: Sendable {
    let answers: StandInAnswers

    /// One request to one endpoint.
    func answer(_ context: RequestContext, _ kind: StandInKind, _ endpoint: StandInEndpoint)
        async throws -> Response
    {
        await answers.standIns.hook(try StandInCall(context, kind, endpoint)) { call in
            do {
                return try answer(to: call)
            } catch let refusal as StandInRefusal {
                return answers.refuse(refusal, call)
            } catch {
                // A key that cannot be made.
                return Response(empty: .internalServerError, headers: answers.headers)
            }
        }
    }

    private func answer(to call: StandInCall) throws -> Response {
        switch call.endpoint {
        case .discovery: try StandInDocuments(answers: answers).discovery(call)
        case .keys: try StandInDocuments(answers: answers).keys(call)
        case .authorization: try StandInAuthorization(answers: answers).answer(to: call)
        case .token: try StandInTokens(answers: answers).answer(to: call)
        case .userInfo where call.kind == .facebook: try StandInGraph(answers: answers).me(call)
        case .userInfo: try StandInUserInfo(answers: answers).answer(to: call)
        case .debugToken: try StandInGraph(answers: answers).debugToken(call)
        case .revocation: try StandInRevocation(answers: answers).answer(to: call)
        case .picture: answers.picture(call)
        }
    }
}
