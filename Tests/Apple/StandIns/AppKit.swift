// swift-format-ignore-file
@_exported public import Foundation

// https://developer.apple.com/documentation/appkit/nswindow
@MainActor open class NSWindow { public init() {} }

// https://developer.apple.com/documentation/appkit/nsworkspace
public class NSWorkspace: @unchecked Sendable {
    public static var shared: NSWorkspace { NSWorkspace() }
    @discardableResult public func open(_ url: URL) -> Bool { false }
}
