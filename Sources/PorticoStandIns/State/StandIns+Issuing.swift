package import PorticoBytes
import PorticoProtocol
import PorticoSystem

extension StandIns {
    func newCode(
        for grant: StandInGrant,
        redirectURI: String,
        challenge: CodeChallenge?,
        isOffline: Bool,
        _ moment: Moment
    ) -> String {
        let text = "code-" + moment.random.text(24)
        let code = StandInCode(
            grant: grant,
            redirectURI: redirectURI,
            challenge: challenge,
            isOffline: isOffline,
            expiresAt: moment.now + grant.kind.codeLife
        )
        memory.withLock { $0.keep(code, as: text, at: moment.now) }
        return text
    }

    /// - Parameter life: In seconds.
    package func newToken(
        for grant: StandInGrant,
        isRefreshToken: Bool = false,
        life: Double,
        _ moment: Moment
    ) -> String {
        let text = (isRefreshToken ? "refresh-" : "access-") + moment.random.text(32)
        let token = StandInToken(
            grant: grant,
            isRefreshToken: isRefreshToken,
            issuedAt: moment.now,
            expiresAt: moment.now + life
        )
        memory.withLock { $0.keep(token, as: text, at: moment.now) }
        return text
    }
}
