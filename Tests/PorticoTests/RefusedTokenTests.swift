import HTTPTypes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Refused tokens")
struct RefusedTokenTests {
    private func isRefused(_ challenges: String..., status: Int = 401) -> Bool {
        var response = HTTPResponse(status: .init(code: status))
        for challenge in challenges {
            response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: challenge))
        }
        return HTTPReply(response: response, body: []).hasRefusedToken
    }

    @Test("RFC 6750 §3.1, RFC 9449 §7.1: invalid_token refuses a token, in a scheme for tokens")
    func schemes() {
        #expect(isRefused(#"Bearer error="invalid_token""#))
        #expect(isRefused(#"DPoP algs="ES256", error="invalid_token""#))
        #expect(isRefused(#"DPoP error="invalid_token""#, #"Bearer realm="r""#))
        #expect(isRefused(#"Bearer realm="r", dpop error=invalid_token"#))
        #expect(!isRefused(#"Basic error="invalid_token""#))
        #expect(!isRefused(#"DPoP error="use_dpop_nonce""#, #"Bearer realm="r""#))
        #expect(!isRefused(#"DPoP error="invalid_token""#, status: 403))
        #expect(!isRefused())
    }
}
