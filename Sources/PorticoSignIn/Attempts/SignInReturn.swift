import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Where a sign-in continues once the identity provider has answered.
///
/// It is in two cookies: sealed with the attempt's secrets for ten minutes, and alone for a day.
/// The second completes nothing, but distinguishes "too late" from "never seen", and restarts the
/// same request (docs/decisions/0027).
package struct SignInReturn: Hashable, Sendable {
    /// The configured name of the identity provider.
    let provider: String
    package let destination: Destination

    package init(provider: String, destination: Destination) {
        self.provider = provider
        self.destination = destination
    }

    package enum Destination: Hashable, Sendable {
        case web(LocalPath, isRemembered: Bool)
        case app(AppTarget)
        /// Adds a second identity to the account of this session.
        case link(sessionID: String, LocalPath)
    }

    /// The address that restarts the same request.
    package func restart(at place: SignInPlace) -> String {
        isLink
            ? place.address(of: .ways)
            : FormEncoding.appending(query, to: place.start(at: provider))
    }

    /// The address for choosing a sign-in method for the same request.
    package func choice(at place: SignInPlace) -> String {
        isLink ? place.address(of: .ways) : place.signIn(query)
    }

    /// What its request says.
    private var query: [(name: String, value: String)] {
        switch destination {
        case .web(let path, let isRemembered):
            return [("return_to", path.text)] + (isRemembered ? [("remember", "1")] : [])
        case .app(let target):
            var query = [
                ("platform", "mobile"), ("app", target.app), ("redirect_uri", target.redirectURI),
            ]
            if let challenge = target.challenge { query.append(("code_challenge", challenge.text)) }
            if let state = target.state { query.append(("state", state)) }
            return query
        case .link: return []
        }
    }
}

extension SignInReturn {
    private static let version: UInt8 = 1

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.text(provider)
        switch destination {
        case .web(let path, let isRemembered):
            writer.byte(isRemembered ? 1 : 0)
            writer.text(path.text)
        case .app(let target):
            writer.byte(2)
            target.write(to: &writer)
        case .link(let sessionID, let path):
            writer.byte(3)
            writer.text(sessionID)
            writer.text(path.text)
        }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
        provider = try reader.text()
        let form = try reader.byte()
        switch form {
        case 0, 1:
            guard let path = LocalPath(try reader.text()) else { throw ByteReader.Malformed() }
            destination = .web(path, isRemembered: form == 1)
        case 2: destination = .app(try AppTarget(from: &reader))
        case 3:
            let sessionID = try reader.text()
            guard let path = LocalPath(try reader.text()) else { throw ByteReader.Malformed() }
            destination = .link(sessionID: sessionID, path)
        default: throw ByteReader.Malformed()
        }
        try reader.end()
    }
}

/// A return that was sealed, as it was then: only today's register makes a ``SignInReturn`` of it
/// (docs/decisions/0092).
struct SealedReturn: Sendable {
    private let sealed: SignInReturn

    init(encoded: [UInt8]) throws(ByteReader.Malformed) {
        sealed = try SignInReturn(encoded: encoded)
    }

    /// - Throws: `invalid_app` and `not_found`, as ``SignInReturn/judged(by:)``.
    func judged(by directory: ProviderDirectory) throws(ServiceError) -> SignInReturn {
        try sealed.judged(by: directory)
    }
}

extension SignInReturn {
    /// The same return, if it could begin today: its provider is enabled, and its app, with that
    /// redirect, which takes its session in the address only where that is still its way.
    ///
    /// - Throws: `invalid_app`, `not_found`.
    func judged(by directory: ProviderDirectory) throws(ServiceError) -> SignInReturn {
        let isHandle = sameBytes(provider, HandleProvider.kind) && directory.handles != nil
        guard isHandle || directory.provider(named: provider) != nil else {
            throw ServiceError(.notFound, "The sign-in was at a provider that is gone.")
        }
        if case .app(let target) = destination, !directory.apps.takes(target) {
            throw ServiceError(
                .invalidApp,
                "The app that the sign-in was for is not registered so any more."
            )
        }
        return self
    }
}

extension SignInReturn.Destination {
    /// The parameters of `/login` that lead to it.
    package var handleParameters: [(name: String, value: String)] {
        switch self {
        case .web(let path, let isRemembered):
            return (path == .dashboard ? [] : [("redirect", path.text)])
                + [isRemembered ? ("remember", "1") : ("platform", "web")]
        case .app(let target):
            var parameters = [
                ("mobile", "true"), ("app", target.app), ("redirect_uri", target.redirectURI),
            ]
            if let challenge = target.challenge {
                parameters.append(("code_challenge", challenge.text))
                parameters.append(("code_challenge_method", "S256"))
            }
            if let state = target.state { parameters.append(("state", state)) }
            return parameters
        case .link: return []
        }
    }
}
