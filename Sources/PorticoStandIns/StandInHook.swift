package import PorticoWeb

/// Comes between who asks and a stand-in: it may change what is asked, answer in its place, wait, or
/// change the answer. A demo has none; tests make stand-ins misbehave by it, and see what is asked.
package typealias StandInHook<Call> =
    @Sendable (
        _ call: Call,
        _ answer: @Sendable (Call) async -> Response
    ) async -> Response
