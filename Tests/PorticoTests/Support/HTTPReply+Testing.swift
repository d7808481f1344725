import HTTPTypes
public import PorticoProtocol
public import Testing

extension HTTPReply: CustomTestStringConvertible {
    /// Without the body, which may be megabytes: it would be in the log of every run.
    public var testDescription: String { "\(response.status.code), \(body.count) bytes" }
}
