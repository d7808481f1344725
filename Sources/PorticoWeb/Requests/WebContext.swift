package import Hummingbird
package import NIOCore

/// What comes with a request besides its bytes: who is at the other end of the connection.
package struct WebContext: RequestContext {
    package var coreContext: CoreRequestContextStorage

    /// The other end of the connection: the proxy, where there is one. ``ClientAddress`` says who
    /// the client is.
    package let peer: SocketAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }
}
