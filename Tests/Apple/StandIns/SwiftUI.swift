// swift-format-ignore-file
// What the sources use of SwiftUI, and of what it adds to AuthenticationServices.
@_exported public import Foundation
public import AuthenticationServices

// https://developer.apple.com/documentation/authenticationservices/webauthenticationsession
@available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
@MainActor public struct WebAuthenticationSession {
    public enum BrowserSession: Sendable { case shared, ephemeral }
    private let answer: @Sendable (URL) async throws -> URL

    /// For the tests: the person's answer to an address.
    public nonisolated init(standIn answer: @escaping @Sendable (URL) async throws -> URL) { self.answer = answer }

    public func authenticate(using url: URL, callbackURLScheme: String, preferredBrowserSession: BrowserSession? = nil) async throws -> URL {
        SheetStandIn.note("environment until \(callbackURLScheme):")
        return try await answer(url)
    }

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public func authenticate(using url: URL, callback: ASWebAuthenticationSession.Callback, preferredBrowserSession: BrowserSession? = nil, additionalHeaderFields: [String: String]) async throws -> URL {
        SheetStandIn.note("environment until \(callback.text)\(preferredBrowserSession == .ephemeral ? ", ephemeral" : "")")
        return try await answer(url)
    }
}

// https://developer.apple.com/documentation/swiftui/environmentvalues
public struct EnvironmentValues: Sendable {
    private let answer: @Sendable (URL) async throws -> URL
    public init() { answer = { _ in throw CancellationError() } }
    public init(standIn answer: @escaping @Sendable (URL) async throws -> URL) { self.answer = answer }

    @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
    public var webAuthenticationSession: WebAuthenticationSession { WebAuthenticationSession(standIn: answer) }
}

// https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: View { public var body: Never { preconditionFailure("no view") } }
@resultBuilder public struct ViewBuilder {
    public static func buildEither<One: View, Other: View>(first: One) -> Either<One, Other> { .one(first) }
    public static func buildEither<One: View, Other: View>(second: Other) -> Either<One, Other> { .other(second) }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<One: View, Two: View, each Rest: View>(_ one: One, _ two: Two, _ rest: repeat each Rest) -> Several { Several() }
    public static func buildIf<Content: View>(_ content: Content?) -> Perhaps<Content> { Perhaps() }
}
public struct Perhaps<Content: View>: View { public var body: Never { preconditionFailure("no view") } }
public struct Several: View { public var body: Never { preconditionFailure("no view") } }
public struct VStack: View {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> some View) {}
    public var body: Never { preconditionFailure("no view") }
}
public enum Either<One: View, Other: View>: View { case one(One), other(Other); public var body: Never { preconditionFailure("no view") } }
public struct Text: View { public init(_ text: String) {}; public var body: Never { preconditionFailure("no view") } }
public struct ProgressView: View { public init() {}; public var body: Never { preconditionFailure("no view") } }
public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public var body: Never { preconditionFailure("no view") }
}
extension View {
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { self }
}

// https://developer.apple.com/documentation/swiftui/environment
@propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { preconditionFailure("no environment") }
}
// https://developer.apple.com/documentation/swiftui/state
@propertyWrapper public struct State<Value> {
    private let value: Value
    public init(wrappedValue: Value) { value = wrappedValue }
    public init() where Value: ExpressibleByNilLiteral { value = nil }
    public var wrappedValue: Value { get { value } nonmutating set {} }
}

// https://developer.apple.com/documentation/swiftui/app
@MainActor @preconcurrency public protocol Scene {}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App { public static func main() {} }
@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup: Scene { public init(@ViewBuilder content: () -> some View) {} }
