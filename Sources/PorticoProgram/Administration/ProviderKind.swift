import ArgumentParser
import PorticoBackend
import PorticoProtocol
import PorticoStores
import PorticoUpstream

/// A kind of provider, as commands name it.
enum ProviderKind: Hashable, Sendable {
    case upstream(IdentityProvider.Kind)
    /// Internet handles: each person's host is another.
    case handles

    init?(_ record: ProviderRecord) { self.init(argument: record.kind) }

    var name: String {
        switch self {
        case .upstream(let kind): kind.rawValue
        case .handles: HandleProvider.kind
        }
    }
}

extension ProviderRecord {
    /// What adds one like it, behind `portico provider add`. Not its secret.
    var words: [String] {
        var words = [kind]
        if name != kind { words += ["--name", name] }
        for setting in ProviderSetting.allCases where setting != .standIn {
            words += Self.words(setting.option, settings[setting.rawValue], setting == .scopes)
        }
        guard ProviderKind(self) == .handles else {
            return words + (sealedSecret == nil ? ["--without-secret"] : [])
        }
        for setting in HandleSetting.allCases where setting.option.hasPrefix("--") {
            words += Self.words(setting.option, settings[setting.rawValue], false)
        }
        return words
    }

    /// - Parameter isOne: Whether several values are one word.
    private static func words(_ option: String, _ value: JSONValue?, _ isOne: Bool) -> [String] {
        if let text = value?.string { return [option, text] }
        if let texts = value?.strings {
            return isOne
                ? [option, texts.joined(separator: " ")] : texts.flatMap { [option, $0] }
        }
        return value?.bool == true ? [option] : []
    }
}

extension ProviderKind: ExpressibleByArgument {
    init?(argument: String) {
        if argument == HandleProvider.kind {
            self = .handles
        } else if let kind = IdentityProvider.Kind(rawValue: argument) {
            self = .upstream(kind)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] {
        IdentityProvider.Kind.allCases.map(\.rawValue) + [HandleProvider.kind]
    }
}
