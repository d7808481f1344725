import Crypto
import Foundation

/// A client's key, and its proofs of possession (RFC 9449 §4.2).
final class ProofMaker {
    private let key = P256.Signing.PrivateKey()
    private let header: String
    private var count = 0

    init() {
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Self.encoded(point.prefix(32)), Self.encoded(point.suffix(32)))
        header = Self.encoded(
            Data(
                #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}}"#
                    .utf8
            )
        )
    }

    /// - Parameters:
    ///   - address: Of the endpoint, without query.
    ///   - nonce: Of the server's newest answer.
    ///   - token: The access token that goes with the request, if any.
    func proof(_ method: String, _ address: String, nonce: String, token: String? = nil) throws
        -> String
    {
        count += 1
        let hash = token.map {
            #","ath":"\#(Self.encoded(Data(SHA256.hash(data: Data($0.utf8)))))""#
        }
        let claims =
            #"{"jti":"\#(UUID().uuidString)-\#(count)","htm":"\#(method)","htu":"\#(address)","#
            + #""iat":\#(Int(Date().timeIntervalSince1970)),"nonce":"\#(nonce)"\#(hash ?? "")}"#
        let input = header + "." + Self.encoded(Data(claims.utf8))
        let signature = try key.signature(for: Data(input.utf8)).rawRepresentation
        return input + "." + Self.encoded(signature)
    }

    private static func encoded(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
