import HTTPTypes
import PorticoWeb

/// Routes a request to its endpoint.
struct StandInDispatch: Sendable {
    let answers: StandInAnswers

    /// One request to one endpoint, with the faults that are set at the moment.
    func answer(_ context: RequestContext, _ kind: StandInKind, _ endpoint: StandInEndpoint)
        async throws -> Response
    {
        let call = try StandInCall(context, kind, endpoint, answers.standIns.faults(of: kind))
        answers.standIns.log.append(call.logged)
        if call.endpoint.isForServers, call.faults.delay > .zero {
            try await Task.sleep(for: call.faults.delay)
        }
        guard !call.faults.isDown, !call.faults.failing.contains(call.endpoint) else {
            return answers.page(.down, call.kind, .serviceUnavailable)
        }
        do {
            return try answer(to: call)
        } catch let refusal as StandInRefusal {
            return answers.refuse(refusal, call)
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
        case .permissions: try StandInGraph(answers: answers).deletePermissions(call)
        case .revocation: try StandInRevocation(answers: answers).answer(to: call)
        case .endSession: try StandInRevocation(answers: answers).endSession(call)
        case .picture: answers.picture(call)
        }
    }
}
