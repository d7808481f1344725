// swift-format-ignore-file
// The keychain: it keeps items in memory, and can be locked or refuse with a status.
@_exported public import Foundation

#if os(Linux)
    public typealias CFString = String
    public typealias CFDictionary = [String: Any]
    public typealias CFTypeRef = AnyObject
    public typealias OSStatus = Int32

    extension FileManager {
        public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
            guard group.hasPrefix("group.") else { return nil }
            return homeDirectoryForCurrentUser.appendingPathComponent(group)
        }
    }
#endif

// https://developer.apple.com/documentation/security/security-framework-result-codes
public let errSecSuccess: OSStatus = 0, errSecDuplicateItem: OSStatus = -25299, errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308, errSecMissingEntitlement: OSStatus = -34018

// https://developer.apple.com/documentation/security/item-attribute-keys-and-values
public let kSecClass: CFString = "class", kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce", kSecAttrAccount: CFString = "acct", kSecAttrGeneric: CFString = "gena"
public let kSecAttrAccessGroup: CFString = "agrp", kSecAttrSynchronizable: CFString = "sync"
public let kSecAttrAccessible: CFString = "pdmn", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecUseDataProtectionKeychain: CFString = "nleg", kSecValueData: CFString = "v_Data"
public let kSecReturnData: CFString = "r_Data", kSecReturnAttributes: CFString = "r_Attributes"
public let kSecMatchLimit: CFString = "m_Limit", kSecMatchLimitOne: CFString = "m_LimitOne"

// https://developer.apple.com/documentation/security/keychain-items
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainStandIn.call("copy", query) { items in
        guard let item = items.first(where: { KeychainStandIn.isMatch($0, query) }) else { return errSecItemNotFound }
        result?.pointee = item as AnyObject
        return errSecSuccess
    }
}
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    KeychainStandIn.call("add", attributes) { items in
        var new = attributes
        new[kSecUseDataProtectionKeychain] = nil
        if new[kSecAttrAccessGroup] == nil { new[kSecAttrAccessGroup] = "own" }
        // Its primary key.
        let key = new.filter { [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup, kSecAttrSynchronizable].contains($0.key) }
        guard !items.contains(where: { KeychainStandIn.isMatch($0, key) }) else { return errSecDuplicateItem }
        items.append(new)
        return errSecSuccess
    }
}
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    KeychainStandIn.call("update", query) { items in
        guard let index = items.firstIndex(where: { KeychainStandIn.isMatch($0, query) }) else { return errSecItemNotFound }
        items[index].merge(attributesToUpdate) { _, new in new }
        return errSecSuccess
    }
}
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    KeychainStandIn.call("delete", query) { items in
        let count = items.count
        items.removeAll { KeychainStandIn.isMatch($0, query) }
        return items.count == count ? errSecItemNotFound : errSecSuccess
    }
}

/// The device, whose keychain outlives the apps.
public enum KeychainStandIn {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var kept: [[String: Any]] = []
    nonisolated(unsafe) private static var refusal: OSStatus?
    nonisolated(unsafe) private static var lines: [String] = []
    nonisolated(unsafe) private static var before: [String: @Sendable () -> Void] = [:]

    /// A device that nothing is stored on.
    public static func reset() { lock.withLock { (kept, refusal, lines, before) = ([], nil, [], [:]) } }
    /// Every call returns this; `nil` ends it.
    public static func refuse(_ status: OSStatus?) { lock.withLock { refusal = status } }
    /// Runs once, before a call of that kind is done.
    public static func before(_ call: String, _ body: @escaping @Sendable () -> Void) { lock.withLock { before[call] = body } }
    public static var calls: [String] { lock.withLock { lines } }

    public static func attribute(_ name: CFString, ofItem index: Int = 0) -> String? {
        lock.withLock { index < kept.count ? kept[index][name].map { "\($0)" } : nil }
    }
    public static var count: Int { lock.withLock { kept.count } }

    static func call(_ name: String, _ query: CFDictionary, _ body: (inout [[String: Any]]) -> OSStatus) -> OSStatus {
        lock.withLock { before.removeValue(forKey: name) }?()
        return lock.withLock {
            lines.append(name)
            if let refusal { return refusal }
            // Without it, macOS takes the keychain of files.
            guard query[kSecUseDataProtectionKeychain] as? Bool == true else { return errSecMissingEntitlement }
            if let group = query[kSecAttrAccessGroup] as? String, !group.hasPrefix("TEAM.") { return errSecMissingEntitlement }
            return body(&kept)
        }
    }

    static func isMatch(_ item: [String: Any], _ query: [String: Any]) -> Bool {
        [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup, kSecAttrSynchronizable, kSecAttrGeneric].allSatisfy { key in
            query[key] == nil || (query[key] as? AnyHashable) == (item[key] as? AnyHashable)
        }
    }
}
