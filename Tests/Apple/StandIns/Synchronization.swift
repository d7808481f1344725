// swift-format-ignore-file
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
public struct Mutex<Value>: @unchecked Sendable {
    let value: Value
    public init(_ value: Value) { self.value = value }
    public func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        var copy = value
        return try body(&copy)
    }
}
