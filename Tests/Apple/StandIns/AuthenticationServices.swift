// swift-format-ignore-file
// The sheet, which the tests tell what to do. As Apple's, it is closed when it is released, and calls
// back on a queue of its own.
@_exported public import Foundation
#if canImport(UIKit)
    @_exported public import UIKit
    public typealias ASPresentationAnchor = UIWindow
#else
    @_exported public import AppKit
    public typealias ASPresentationAnchor = NSWindow
#endif

// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror
public struct ASWebAuthenticationSessionError: CustomNSError, @unchecked Sendable {
    public enum Code: Int, Sendable { case canceledLogin = 1, presentationContextNotProvided, presentationContextInvalid }
    public let code: Code
    public let errorUserInfo: [String: Any]
    public init(_ code: Code, userInfo: [String: Any] = [:]) { (self.code, errorUserInfo) = (code, userInfo) }
}

// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public class Callback: NSObject, @unchecked Sendable {
        public let text: String
        init(text: String) { self.text = text }
        public class func customScheme(_ scheme: String) -> Callback { Callback(text: "\(scheme):") }
        public class func https(host: String, path: String) -> Callback { Callback(text: "https://\(host)\(path)") }
    }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    private let sheet: SheetStandIn.Sheet
    private var isShown = false

    @preconcurrency public init(url: URL, callbackURLScheme scheme: String?, completionHandler: @escaping CompletionHandler) {
        sheet = SheetStandIn.Sheet(url.absoluteString, "\(scheme ?? ""):", completionHandler)
    }

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    @preconcurrency public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        sheet = SheetStandIn.Sheet(url.absoluteString, callback.text, completionHandler)
    }

    @MainActor public func start() -> Bool {
        guard let provider = presentationContextProvider else {
            sheet.end(nil, ASWebAuthenticationSessionError(.presentationContextNotProvided))
            return false
        }
        _ = provider.presentationAnchor(for: self)
        isShown = true
        return sheet.show(isEphemeral: prefersEphemeralWebBrowserSession)
    }

    public func cancel() { if isShown { sheet.end(nil, ASWebAuthenticationSessionError(.canceledLogin), "closed by the app") } }

    deinit { sheet.end(nil, nil, "released") }
}

/// The system and the person.
public enum SheetStandIn {
    public enum Conduct: Sendable {
        case finish(at: String), cancel, refuse(reason: String), fail(ASWebAuthenticationSessionError.Code)
        /// `start()` returns false.
        case doNotStart
        /// The person thinks.
        case stay
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var conduct: @Sendable (String) -> Conduct = { _ in .stay }
    nonisolated(unsafe) private static var lines: [String] = []

    /// - Parameter conduct: For the address that is shown.
    public static func behave(_ conduct: @escaping @Sendable (String) -> Conduct) {
        lock.withLock { (self.conduct, lines) = (conduct, []) }
    }

    /// What happened to the sheets, in order.
    public static var log: [String] { lock.withLock { lines } }
    public static func note(_ line: String) { lock.withLock { lines.append(line) } }

    final class Sheet: @unchecked Sendable {
        let address: String
        let ending: String
        private let lock = NSLock()
        private var completion: ASWebAuthenticationSession.CompletionHandler?
        private var isShown = false

        init(_ address: String, _ ending: String, _ completion: @escaping ASWebAuthenticationSession.CompletionHandler) {
            (self.address, self.ending, self.completion) = (address, ending, completion)
        }

        func show(isEphemeral: Bool) -> Bool {
            let conduct = SheetStandIn.lock.withLock { SheetStandIn.conduct }(address)
            if case .doNotStart = conduct { return false }
            note("shown until \(ending)\(isEphemeral ? ", ephemeral" : "")")
            lock.withLock { isShown = true }
            switch conduct {
            case .finish(let uri): end(URL(string: uri), nil, "finished")
            case .cancel: end(nil, ASWebAuthenticationSessionError(.canceledLogin), "closed by the person")
            case .refuse(let reason):
                let info = [NSLocalizedFailureReasonErrorKey: reason]
                end(nil, ASWebAuthenticationSessionError(.canceledLogin, userInfo: info), "refused")
            case .fail(let code): end(nil, ASWebAuthenticationSessionError(code), "failed")
            case .stay, .doNotStart: break
            }
            return true
        }

        /// Only the first end counts. A sheet that is released calls no one back.
        func end(_ url: URL?, _ error: (any Error)?, _ line: String? = nil) {
            let completion = lock.withLock { () -> ASWebAuthenticationSession.CompletionHandler? in
                defer { self.completion = nil }
                if let line, self.completion != nil, isShown { note(line) }
                return self.completion
            }
            guard let completion, url != nil || error != nil else { return }
            let call = Unchecked(completion: completion)
            DispatchQueue(label: "AuthenticationServices").async { call.completion(url, error) }
        }
    }

    private struct Unchecked: @unchecked Sendable { let completion: ASWebAuthenticationSession.CompletionHandler }
}

// MARK: Sign in with Apple

// https://developer.apple.com/documentation/authenticationservices/asauthorization
open class ASAuthorization: NSObject, @unchecked Sendable {
    public struct Scope: Hashable, Sendable {
        let name: String
        public static let fullName = Scope(name: "full_name"), email = Scope(name: "email")
    }
    public let credential: any ASAuthorizationCredential
    public init(credential: any ASAuthorizationCredential) { self.credential = credential }
}
public protocol ASAuthorizationCredential: NSObjectProtocol {}

// https://developer.apple.com/documentation/authenticationservices/asauthorizationappleidcredential
open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential, @unchecked Sendable {
    public let identityToken: Data?
    public let authorizationCode: Data?
    public let fullName: PersonNameComponents?
    public init(identityToken: Data?, authorizationCode: Data?, fullName: PersonNameComponents?) {
        (self.identityToken, self.authorizationCode, self.fullName) = (identityToken, authorizationCode, fullName)
    }
}

open class ASAuthorizationRequest: NSObject {}
open class ASAuthorizationAppleIDRequest: ASAuthorizationRequest {
    public var requestedScopes: [ASAuthorization.Scope]?
    public var nonce: String?
}
open class ASAuthorizationAppleIDProvider: NSObject {
    open func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
}

// https://developer.apple.com/documentation/authenticationservices/asauthorizationerror
public struct ASAuthorizationError: Error, Sendable {
    public enum Code: Int, Sendable { case unknown = 1000, canceled, invalidResponse, notHandled, failed }
    public let code: Code
    public init(_ code: Code) { self.code = code }
}

public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}
@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

// https://developer.apple.com/documentation/authenticationservices/asauthorizationcontroller
open class ASAuthorizationController: NSObject, @unchecked Sendable {
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
    private let request: ASAuthorizationAppleIDRequest?

    public init(authorizationRequests: [ASAuthorizationRequest]) {
        request = authorizationRequests.first as? ASAuthorizationAppleIDRequest
    }

    @MainActor public func performRequests() {
        _ = presentationContextProvider?.presentationAnchor(for: self)
        let nonce = request?.nonce ?? ""
        guard let conduct = AppleStandIn.conduct(nonce) else { return }
        let call = Unchecked(delegate: delegate)
        DispatchQueue(label: "Sign in with Apple").async { [self] in
            switch conduct {
            case .success(let credential):
                call.delegate?.authorizationController(controller: self, didCompleteWithAuthorization: ASAuthorization(credential: credential))
            case .failure(let error):
                call.delegate?.authorizationController(controller: self, didCompleteWithError: error)
            }
        }
    }

    @MainActor public func cancel() { SheetStandIn.note("Apple's sheet was closed") }

    private struct Unchecked: @unchecked Sendable { let delegate: (any ASAuthorizationControllerDelegate)? }
}

/// The system and the person, for Sign in with Apple.
public enum AppleStandIn {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var answer: (String) -> Result<ASAuthorizationAppleIDCredential, ASAuthorizationError>? = { _ in nil }

    /// - Parameter answer: To a request with this nonce; `nil`: the person thinks.
    public static func behave(_ answer: @escaping (String) -> Result<ASAuthorizationAppleIDCredential, ASAuthorizationError>?) {
        lock.withLock { self.answer = answer }
    }

    static func conduct(_ nonce: String) -> Result<ASAuthorizationAppleIDCredential, ASAuthorizationError>? {
        lock.withLock { answer }(nonce)
    }
}
