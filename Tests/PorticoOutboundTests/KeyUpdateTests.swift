import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

/// A server that sends many updates of its keys in the middle of each answer (RFC 8446 §4.6.3).
private final class UpdatingServer {
    /// Made before they are sent, so that they come faster than anybody reads them.
    private static let program = """
        ctypes, pathlib, socket, sys = map(__import__, ("ctypes", "pathlib", "socket", "sys"))
        certificate, key, port, count, marker = sys.argv[1:]
        ssl, crypto = ctypes.CDLL("libssl.so.3"), ctypes.CDLL("libcrypto.so.3")
        P, I, B = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p

        def function(library, name, result, *arguments):
            found = getattr(library, name)
            found.restype, found.argtypes = result, arguments
            return found

        def ours(name, *arguments):
            return function(ssl, name, I, P, *arguments)

        accept, shake = ours("SSL_accept"), ours("SSL_do_handshake")
        read, write = ours("SSL_read", B, I), ours("SSL_write", B, I)
        update = ours("SSL_key_update", I)
        memory = function(crypto, "BIO_s_mem", P)
        bio = function(crypto, "BIO_new", P, P)
        put = function(crypto, "BIO_write", I, P, B, I)
        get = function(crypto, "BIO_read", I, P, B, I)
        method = function(ssl, "TLS_server_method", P)
        context = function(ssl, "SSL_CTX_new", P, P)(method())
        ours("SSL_CTX_use_certificate_file", B, I)(context, certificate.encode(), 1)
        ours("SSL_CTX_use_PrivateKey_file", B, I)(context, key.encode(), 1)
        buffer = ctypes.create_string_buffer(65536)

        def taken(bio):
            parts = []
            while (size := get(bio, buffer, 65536)) > 0:
                parts.append(buffer.raw[:size])
            return b"".join(parts)

        def answer(connection):
            server = function(ssl, "SSL_new", P, P)(context)
            incoming, outgoing = bio(memory()), bio(memory())
            function(ssl, "SSL_set_bio", None, P, P, P)(server, incoming, outgoing)
            while accept(server) != 1:
                connection.sendall(taken(outgoing))
                data = connection.recv(65536)
                if not data:
                    return
                put(incoming, data, len(data))
            connection.sendall(taken(outgoing))
            while read(server, buffer, 65536) <= 0:
                data = connection.recv(65536)
                if not data:
                    return
                put(incoming, data, len(data))
            head = b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n"
            write(server, head, len(head))
            for _ in range(int(count)):
                update(server, 0)
                shake(server)
            write(server, b"{}", 2)
            whole = taken(outgoing)
            pathlib.Path(marker).touch()
            connection.sendall(whole)

        listener = socket.create_server(("127.0.0.1", int(port)))
        while True:
            connection = listener.accept()[0]
            try:
                answer(connection)
            except OSError:
                pass
            connection.close()
        """

    /// Whether there are a Python and an OpenSSL for it.
    static let isPossible: Bool = {
        let check = "import ctypes; ctypes.CDLL('libssl.so.3')"
        // `try?`: a program that cannot be started is not there.
        let child = try? ChildProgram("/usr/bin/env", ["python3", "-c", check])
        return TLSServer.isPossible && child?.waitUntilExit() == .exited(0)
    }()

    let port: UInt16
    let certificate: String
    private let marker: String
    private let identity: TLSServer
    private let server: ChildProgram

    init(updates: Int) throws {
        identity = try TLSServer()
        certificate = identity.certificate
        let folder = URL(filePath: certificate).deletingLastPathComponent()
        marker = folder.appending(path: "marker").path
        guard let (socket, port) = RawSocket.listen(port: 0) else { throw POSIXError(.EADDRINUSE) }
        RawSocket.close(socket)
        self.port = port
        server = try ChildProgram(
            "/usr/bin/env",
            [
                "python3", "-c", Self.program, certificate, folder.appending(path: "key.pem").path,
                "\(port)", "\(updates)", marker,
            ]
        )
        for _ in 0..<1000 {
            if let connection = RawSocket.connect(port: port) {
                RawSocket.close(connection)
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw POSIXError(.ETIMEDOUT)
    }

    deinit {
        server.signal(SIGKILL)
    }

    /// Whether updates are under way.
    var isSending: Bool { FileManager.default.fileExists(atPath: marker) }
}

@Suite(
    "A host that updates its keys again and again",
    .enabled(if: UpdatingServer.isPossible, "needs python3 and OpenSSL 3")
)
struct KeyUpdateTests {
    private func get(_ transport: GuardedTransport, _ host: String) async throws -> HTTPReply {
        try await transport.send(
            HTTPRequest(.get, to: try #require(HTTPAddress("https://\(host)/"))),
            body: [],
            limits: HTTPLimits(bytes: 1000, seconds: 60)
        )
    }

    @Test("decision 0067: who asks another host waits for none of a host's updates")
    func turns() async throws {
        let updating = try UpdatingServer(updates: 50_000)
        let other = try LocalServer { _ in LocalServer.reply() }
        defer { other.stop() }
        let transport = GuardedTransport(
            longest: HTTPLimits(bytes: 1000, seconds: 60),
            trustedRoots: updating.certificate,
            connectTo: [
                "op.example.test": GuardedTransport.ConnectTarget(
                    address: "127.0.0.1",
                    port: Int(updating.port)
                ),
                "other.example.test": GuardedTransport.ConnectTarget(
                    address: "127.0.0.1",
                    port: Int(other.port),
                    isPlain: true
                ),
            ]
        )
        let isOver = Locked(false)
        let answer = Task {
            defer { isOver.withLock { $0 = true } }
            return try await get(transport, "op.example.test")
        }
        try await waitUntil("the updates come") {
            updating.isSending || isOver.withLock { $0 }
        }
        // All updates at once leave time for none, or one or two before they begin.
        var count = 0
        while count < 20, !isOver.withLock({ $0 }) {
            _ = try await get(transport, "other.example.test")
            count += 1
        }
        #expect(count == 20)
        let reply = try await answer.value
        #expect(reply.body == Array("{}".utf8))
    }
}
