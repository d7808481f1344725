package import PorticoATProtocol
import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// The configuration of sign-in by internet handle: which client we are at hosts of the AT Protocol.
///
/// It is stored as a provider of this kind, but is not one of PorticoUpstream's: people have
/// different hosts.
package struct HandleProvider: Hashable, Sendable {
    /// The record's kind and name, which routes and accounts use; also the issuer of identities.
    package static let kind = "atproto"
    /// The reason of sessions that end because we became another kind of client.
    package static let clientChanged = "client_changed"
    /// The domain added to a bare name, unless the operator sets another.
    package static let usualDomain = "bsky.social"

    /// The name that hosts may show; `nil`: only our address.
    package let clientName: String?
    /// The scopes to ask every host for, once all can have read that we may.
    package let scope: Scope
    /// The scopes to ask for until then, if they have changed lately.
    private let former: Former?
    /// Whether our keys authenticate us.
    package let isConfidential: Bool
    /// Where every `did:plc` is registered.
    package let directory: ServerOrigin
    /// The domain added to a bare name.
    package let defaultDomain: String
    /// `logo_uri`, `tos_uri` and `policy_uri` of the client's document.
    package let links: JSONObject

    private struct Former: Hashable, Sendable {
        let scope: Scope
        /// Seconds since 1970.
        let until: Int64
    }

    /// The scopes to ask a host for.
    package func asked(at now: Int64) -> Scope {
        former.flatMap { now < $0.until ? $0.scope : nil } ?? scope
    }

    /// The scopes that our document lists, including those that sign-ins under way asked for.
    package func listed(at now: Int64) -> Scope {
        former.map { now < $0.until + HandleClientKeys.publishedFirst ? listed : scope } ?? scope
    }

    /// All scopes that we ask for, now or later.
    fileprivate var listed: Scope {
        Scope(tokens: (former?.scope.tokens ?? []) + scope.tokens)
    }

    /// Changed settings, in which new scopes wait until every host can have read our document: hosts
    /// keep it for ten minutes, and refuse what it does not list (`invalid_scope`).
    ///
    /// - Parameter former: The settings that they replace.
    /// - Returns: Also when the new scopes are asked for, if they have changed.
    package static func waiting(
        _ settings: JSONObject,
        replacing former: JSONObject,
        at now: Int64
    ) -> (settings: JSONObject, from: Int64?) {
        let name = HandleSetting.scope.rawValue
        guard settings[name] != former[name] else { return (settings, nil) }
        let until = former[HandleSetting.scopeFrom.rawValue]?.int64
        let isWaiting = until.map { now < $0 } ?? false
        let asked = isWaiting ? former[HandleSetting.formerScope.rawValue] : former[name]
        let from = now + HandleClientKeys.publishedFirst
        var settings = settings
        settings[HandleSetting.formerScope.rawValue] = asked ?? .string(usualScope)
        settings[HandleSetting.scopeFrom.rawValue] = .integer(from)
        return (settings, from)
    }

    private static let usualScope = "atproto transition:generic"

    /// - Throws: What is wrong with the record.
    package init(_ record: ProviderRecord, _ rules: IdentityRules)
        throws(HandleProviderRefusal)
    {
        guard record.kind == Self.kind, record.name == Self.kind else { throw .name }
        let known = HandleSetting.allCases.filter { record.settings[$0.rawValue] != nil }
        guard known.count == record.settings.count else { throw .unknownSetting }
        let settings = record.settings
        clientName = try settings.text(.clientName)
        isConfidential = try !settings.flag(.public)
        do {
            scope = try Scope(settings.text(.scope) ?? Self.usualScope)
            former = try settings.text(.formerScope).flatMap { text in
                try settings[HandleSetting.scopeFrom.rawValue]?.int64.map {
                    Former(scope: try Scope(text), until: $0)
                }
            }
        } catch {
            throw .malformed(.scope)
        }
        guard scope.contains("atproto") else { throw .malformed(.scope) }
        do {
            directory = try ServerOrigin(
                settings.text(.directory) ?? "https://plc.directory",
                rules
            )
        } catch {
            throw .malformed(.directory)
        }
        defaultDomain = try settings.text(.defaultDomain) ?? Self.usualDomain
        do {
            _ = try Handle("name.\(defaultDomain)", rules)
        } catch {
            throw .malformed(.defaultDomain)
        }
        var links = JSONObject()
        for (setting, member) in [
            (HandleSetting.logo, "logo_uri"), (.terms, "tos_uri"), (.privacy, "policy_uri"),
        ] {
            guard let text = try settings.text(setting) else { continue }
            guard HTTPAddress(text)?.isSecure == true else { throw .malformed(setting) }
            links[member] = .string(text)
        }
        self.links = links
    }
}

extension OwnClientDocument {
    /// The address of our document, at a public address.
    ///
    /// - Returns: `nil` if hosts would read no document from that address.
    package init?(_ provider: HandleProvider, at origin: String, _ rules: IdentityRules) {
        self.init(
            origin: origin,
            name: provider.clientName,
            scope: provider.listed,
            isConfidential: provider.isConfidential,
            rules
        )
    }
}

/// The names of settings of ``HandleProvider``. Any other one is refused.
package enum HandleSetting: String, CaseIterable, Sendable {
    case clientName, scope
    /// For scopes that wait: the scopes until then, and seconds since 1970. No command sets them.
    case formerScope, scopeFrom
    case `public`
    case directory, defaultDomain
    case logo, terms, privacy
}

/// Why sign-in by handle cannot be configured. Its texts are literals.
package enum HandleProviderRefusal: Error, Hashable, Sendable {
    case name
    case unknownSetting
    case malformed(HandleSetting)
    /// Hosts read our document from https without a port only, or from this machine.
    case publicAddress
    /// Of the cookie `sid`.
    case noPasswords
}

extension HandleProviderRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .name: "There is one provider of the kind atproto, and atproto is its name."
        case .unknownSetting: "There is a setting that a provider of this kind does not have."
        case .malformed(let setting): "The setting \(setting.rawValue) is malformed."
        case .publicAddress:
            "Hosts take https addresses with a domain name and without a port: set public-url to one."
        case .noPasswords: "There are no passwords for the cookie sid."
        }
    }
}

extension JSONObject {
    /// `null` counts as missing.
    fileprivate func text(_ setting: HandleSetting) throws(HandleProviderRefusal) -> String? {
        guard let value = self[setting.rawValue], value != .null else { return nil }
        guard let text = value.string, 1...2048 ~= text.utf8.count else {
            throw .malformed(setting)
        }
        return text
    }

    fileprivate func flag(_ setting: HandleSetting) throws(HandleProviderRefusal) -> Bool {
        guard let value = self[setting.rawValue], value != .null else { return false }
        guard let flag = value.bool else { throw .malformed(setting) }
        return flag
    }
}
