// swift-format-ignore-file
// Work is `@Sendable`: the system runs it on a queue of its own.

public struct DispatchTime: Sendable { public static func now() -> DispatchTime { DispatchTime() } }
public enum DispatchTimeInterval: Sendable { case seconds(Int), milliseconds(Int) }
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public final class DispatchSemaphore: Sendable {
    public init(value: Int) {}
    public func wait() {}
    @discardableResult public func signal() -> Int { 0 }
}
public final class DispatchQueue: @unchecked Sendable {
    public struct Attributes: Sendable { public static let concurrent = Attributes() }
    public init(label: String) {}
    public init(label: String, attributes: Attributes) {}
    public static func global() -> DispatchQueue { DispatchQueue(label: "") }
    public func async(execute work: @escaping @Sendable () -> Void) {}
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) {}
}
