// swift-format-ignore-file
// What Foundation declares of what the app-side modules use. Toll-free types are their Swift types
// here: there is no bridge.
@_exported import Dispatch

public typealias TimeInterval = Double

public protocol ContiguousBytes {}
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
extension Array: ContiguousBytes where Element == UInt8 {}
extension Array: DataProtocol where Element == UInt8 {}
extension ArraySlice: ContiguousBytes where Element == UInt8 {}
extension ArraySlice: DataProtocol where Element == UInt8 {}
extension UnsafeRawBufferPointer: ContiguousBytes, DataProtocol {}
extension UnsafeBufferPointer: ContiguousBytes where Element == UInt8 {}
extension UnsafeBufferPointer: DataProtocol where Element == UInt8 {}

public struct Data: Hashable, Sendable, DataProtocol, ContiguousBytes {
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 { 0 }
    public init() {}
    public init(_ bytes: some Sequence<UInt8>) {}
}

public struct Date: Hashable, Comparable, Sendable {
    public var timeIntervalSince1970: TimeInterval
    public init() { timeIntervalSince1970 = 0 }
    public init(timeIntervalSince1970: TimeInterval) { self.timeIntervalSince1970 = timeIntervalSince1970 }
    public static var distantPast: Date { Date() }
    public static func < (one: Date, other: Date) -> Bool { false }
    public static func + (date: Date, interval: TimeInterval) -> Date { date }
    public static func - (date: Date, interval: TimeInterval) -> Date { date }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { 0 }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { self }
}

public struct URL: Hashable, Sendable {
    public init?(string: String) {}
    public init(fileURLWithPath path: String) {}
    public var absoluteString: String { "" }
    public var path: String { "" }
    public mutating func setResourceValues(_ values: URLResourceValues) throws {}
}

// https://developer.apple.com/documentation/foundation/urlresourcevalues/isexcludedfrombackup
public struct URLResourceValues { public var isExcludedFromBackup: Bool?; public init() {} }

// https://developer.apple.com/documentation/foundation/fileprotectiontype
public struct FileProtectionType: Hashable, Sendable {
    @available(macOS 11.0, iOS 2.0, *) public static let completeUntilFirstUserAuthentication = FileProtectionType()
}
public struct FileAttributeKey: Hashable, Sendable {
    @available(macOS 11.0, iOS 4.0, *) public static let protectionKey = FileAttributeKey()
}
// https://developer.apple.com/documentation/foundation/filemanager
public class FileManager: @unchecked Sendable {
    public enum SearchPathDirectory: Sendable { case applicationSupportDirectory, cachesDirectory }
    public struct SearchPathDomainMask: Sendable { public static let userDomainMask = SearchPathDomainMask() }
    public static var `default`: FileManager { FileManager() }
    public func urls(for directory: SearchPathDirectory, in domains: SearchPathDomainMask) -> [URL] { [] }
    public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? { nil }
    public func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {}
}
// https://developer.apple.com/documentation/foundation/bundle/bundleidentifier
public class Bundle: @unchecked Sendable {
    public static var main: Bundle { Bundle() }
    public var bundleIdentifier: String? { nil }
}
// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
public class ProcessInfo: @unchecked Sendable {
    public static var processInfo: ProcessInfo { ProcessInfo() }
    @available(macOS, unavailable)
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void) {}
}
public class NSLock: @unchecked Sendable {
    public init() {}
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
}

public protocol LocalizedError: Error { var errorDescription: String? { get } }

public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol { public init() {} }
public let NSLocalizedFailureReasonErrorKey = "NSLocalizedFailureReason"
public protocol CustomNSError: Error { var errorUserInfo: [String: Any] { get } }


public typealias CFData = Data
public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32
public class CFError {}

// MARK: URLSession. Its delegate is called on a queue of the system's.

public class InputStream: @unchecked Sendable {}
public struct PersonNameComponents: Sendable {
    public var givenName: String?
    public var familyName: String?
}
public struct URLRequest: Sendable {
    public enum CachePolicy: Sendable { case reloadIgnoringLocalCacheData }
    public var httpMethod: String?
    public var httpBody: Data?
    public var httpBodyStream: InputStream?
    public var allHTTPHeaderFields: [String: String]?
    public var httpShouldHandleCookies = true
    public var timeoutInterval: TimeInterval = 0
    public var url: URL?
    public init(url: URL) {}
    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {}
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {}
    public func value(forHTTPHeaderField name: String) -> String? { nil }
}
public class URLResponse: @unchecked Sendable {}
public class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) { nil }
    public var statusCode: Int { 0 }
    public var allHeaderFields: [AnyHashable: Any] { [:] }
}
public class URLSessionTask: @unchecked Sendable {
    public var taskIdentifier: Int { 0 }
    public var response: URLResponse? { nil }
    public func cancel() {}
    public func resume() {}
}
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
public class HTTPCookieStorage: @unchecked Sendable {}
public class URLCache: @unchecked Sendable {}
public class URLCredentialStorage: @unchecked Sendable {}
public enum HTTPCookieAcceptPolicy: Sendable { case never }
public class URLSessionConfiguration: @unchecked Sendable {
    public static var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    public var httpCookieStorage: HTTPCookieStorage?
    public var httpShouldSetCookies = true
    public var httpCookieAcceptPolicy = HTTPCookieAcceptPolicy.never
    public var urlCache: URLCache?
    public var urlCredentialStorage: URLCredentialStorage?
    public var requestCachePolicy = URLRequest.CachePolicy.reloadIgnoringLocalCacheData
}
public class OperationQueue: @unchecked Sendable {}
public protocol URLSessionDelegate: AnyObject, Sendable {}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
public class URLSession: @unchecked Sendable {
    public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?) {}
    public func finishTasksAndInvalidate() {}
    public func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
}
public struct URLError: Error {
    public struct Code: Hashable, Sendable {
        let number: Int
        public static let unknown = Code(number: -1), cancelled = Code(number: -999), badURL = Code(number: -1000)
        public static let timedOut = Code(number: -1001), unsupportedURL = Code(number: -1002)
        public static let badServerResponse = Code(number: -1011), cannotDecodeRawData = Code(number: -1015)
        public static let cannotDecodeContentData = Code(number: -1016), cannotParseResponse = Code(number: -1017)
        public static let secureConnectionFailed = Code(number: -1200)
        public static let serverCertificateHasBadDate = Code(number: -1201)
        public static let serverCertificateUntrusted = Code(number: -1202)
        public static let serverCertificateHasUnknownRoot = Code(number: -1203)
        public static let serverCertificateNotYetValid = Code(number: -1204)
        public static let clientCertificateRejected = Code(number: -1205)
        public static let clientCertificateRequired = Code(number: -1206)
    }
    public init() {}
    public init(_ code: Code) {}
    public var code: Code { .unknown }
}

public class JSONDecoder {
    public init() {}
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw URLError() }
}
