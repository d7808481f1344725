import PorticoBytes
import PorticoProtocol

/// What an app may do by a permission of the AT Protocol.
struct PermissionWords: WordGroup {
    private let atproto: Phrase
    private let generic: Phrase
    private let chat: Phrase
    private let repo: FilledText
    private let repoAll: JoinedText
    private let create: Phrase
    private let update: Phrase
    private let delete: Phrase
    private let rpc: FilledText
    private let rpcAnyMethod: ExactText
    private let rpcAnyService: JoinedText
    private let blob: JoinedText
    private let blobAny: Phrase
    private let email: Phrase
    private let emailManage: Phrase
    private let contents: Phrase
    private let contentsManage: Phrase
    private let status: Phrase
    private let statusManage: Phrase
    private let identity: Phrase
    private let identityHandle: Phrase
    /// Between the members of a list, without a blank.
    private let separator: Phrase
    /// Above what was asked for and is not given.
    let unknown: FilledText

    func callAsFunction(_ permission: ATScope) -> Phrase {
        switch permission {
        case .atproto: return atproto
        case .transitionGeneric: return generic
        case .transitionEmail: return email
        case .transitionChat: return chat
        case .repo(let collections, let actions):
            let actions = joined(ATScope.RepoAction.allCases.filter(actions.contains).map(action))
            guard !collections.contains("*") else { return repoAll(actions) }
            return repo(["collections": .words(exact(collections)), "actions": .words(actions)])
        case .rpc(let methods, let service):
            if methods.contains("*") { return rpcAnyMethod(service) }
            let methods = exact(methods)
            if service == "*" { return rpcAnyService(methods) }
            return rpc(["methods": .words(methods), "service": .exact(service)])
        case .blob(let types):
            return types.contains("*/*") ? blobAny : blob(exact(types))
        case .account(let attribute, let action):
            let isRead = action == .read
            switch attribute {
            case .email: return isRead ? email : emailManage
            case .repo: return isRead ? contents : contentsManage
            case .status: return isRead ? status : statusManage
            }
        case .identity(let attribute):
            return attribute == "handle" ? identityHandle : identity
        }
    }

    private func action(_ action: ATScope.RepoAction) -> Phrase {
        switch action {
        case .create: create
        case .update: update
        case .delete: delete
        }
    }

    private func exact(_ names: [String]) -> Phrase { joined(names.map { "\(exact: $0)" }) }

    private func joined(_ phrases: [Phrase]) -> Phrase {
        phrases.dropFirst().reduce(phrases.first ?? "") { $0 + separator + " " + $1 }
    }
}

extension Words {
    /// What an app may do, a sentence for each name of a scope.
    ///
    /// The names of the AT Protocol mean what they mean there only beside `atproto`, which each of
    /// its requests has.
    func grants(_ scopes: [String]) -> [Phrase] {
        let isATProtocol = scopes.contains { sameBytes($0, "atproto") }
        return scopes.map { scope in
            let known = isATProtocol ? ATScope(scope) : nil
            return known.map { permission($0) } ?? consent.grant(scope)
        }
    }
}
