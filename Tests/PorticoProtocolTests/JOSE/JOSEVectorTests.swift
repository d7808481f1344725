import PorticoBytes
import PorticoProtocol
import Testing

@Suite("JOSE vectors")
struct JOSEVectorTests {
    private static let rsaModulus = """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4\
        d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5re\
        xMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxX\
        FvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
        """
    private static let rsaToken = """
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmN\
        vbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuH\
        Im4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK\
        5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7no\
        OPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """

    @Test("RFC 7515 A.2: RS256 verifies, over the received text with its odd spacing")
    func rs256() throws {
        let jwk: JSONObject = ["kty": "RSA", "n": .string(Self.rsaModulus), "e": "AQAB"]
        let verified = try verify(Self.rsaToken, with: jwk, .rs256)
        #expect(verified.claims.string("iss") == "joe")
        #expect(verified.claims.int64("exp") == 1_300_819_380)
        #expect(verified.claims.bool("http://example.com/is_root") == true)
    }

    @Test("RFC 7515 A.3: ES256 verifies")
    func es256() throws {
        let jwk: JSONObject = [
            "kty": "EC", "crv": "P-256",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ]
        let token = """
            eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGx\
            lLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8I\
            SlSApmWQxfKTUJqPP3-Kg6NU1Q
            """
        #expect(try verify(token, with: jwk, .es256).claims.string("iss") == "joe")
    }

    @Test("RFC 8037 A.2 to A.4: the Ed25519 key, its thumbprint and the signed text")
    func ed25519() throws {
        let seed = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let key = try SigningKey(.edDSA, stored: seed)
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        #expect(key.verificationKey.jwk.object.string("x") == x)
        #expect(key.keyID == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")

        let token = """
            eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09P\
            GcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """
        let jws = try JWS(parsing: token.utf8)
        #expect(jws.uncheckedPayload == Array("Example of Ed25519 signing".utf8))
        let signer = try jws.signer(among: [key.verificationKey], allowing: [.edDSA])
        #expect(signer == key.verificationKey)
        // What is signed there is no JSON object, so it is no JWT.
        #expect(throws: JOSEError.invalidClaims) {
            try JWT(parsing: token).verified(
                by: [key.verificationKey],
                allowing: [.edDSA],
                types: [.jwt]
            )
        }
    }

    private static let openSSLModulus = """
        yTgeBbAnmtQMVUBiEsT40sGAQFE8qkINfgotJ_Dj5Qw5upAT5n1H0ulSGFbJVCIDxYjlsZOoJBGIRniwwkkVEWHeIwKI\
        6SUkeTOiXvX1djvjbngNO2K7T9ComRxN0n15yKwm9fm9CPtvi597v0FftIz5hLR-c4ZCRznHZknvbZpnfh2JmTdaqi10\
        9zAbrjJ6sw03STzvd1TFSaepXHih0nvoQhJ4VSeIqrquBlw5_7dOSbl-JH_U5cXtPLn3KiNuOImZiNGHSWYqhSPZ5FTp\
        imFPcexC7C73nVeHUOZ-QLVVPI_UZGuUhWmRV-tcCPVJTrt5AcG5SSzOU5-eYnljqw
        """
    private static let openSSLInput = """
        eyJhbGciOiJQUzI1NiIsImtpZCI6InBzIn0.eyJpc3MiOiJodHRwczovL29wLmV4YW1wbGUuY29tIiwic3ViIjoiYWxp\
        Y2UifQ.
        """

    @Test("RFC 7518 §3.5: PS256 as OpenSSL signs it, a salt as long as the hash")
    func ps256() throws {
        let signature = """
            YyXGLSJ_b65TPHNgRqGZpWkSdR67LvZx8UQ0VgcQkdNX9FBLIoBprhMgsUCB44P4qzY1g_UVzIZkEp6yc8iFfmoK\
            _UFVuTeEt7iTX4RIBL6pF0p_WZO3FQhI3HNekRcSnP3z1GVtWO8CyChc-p9FgIspXpQzYkc9gIc5QeMQjAZ2bK24\
            1XuLddWGPrGTG3ipIr9TigwzhfCX1fX06-PAOwtzh33XggYD2nYIoHASLDCsouk2Qy9C-MAdM0kN8mUjRlYDxrZE\
            ryQjc3YmUxD_cIIkSrL6bluEnsenDasnqOAtqlCpcvmaSKu5zguJjUMKRKp-D5TgDY_xSAGp8IZEzg
            """
        let token = Self.openSSLInput + signature
        #expect(try verify(token, with: openSSLKey, .ps256).claims.string("sub") == "alice")
    }

    @Test("RFC 7518 §3.5: PS256 with a salt of another length is refused")
    func saltLength() {
        let signature = """
            e-sWS93qDY_Muq649_hkOpFk4eg45REYpTFZYiaMUdD8oq-oaVgDfmo2NyrDhr1ATWHCFVEVmSag69YZmLCbDAo5\
            lDe0Rebq6g9P996CJAHtPFePBJQTL30nP8XjyltMSTrzFnfmkfohRuGBsLIdbD9srLgGcpJ7PpNq5dIelW6AV3Ub\
            Bfe6B3EzBcloIvotOaDHekznmboc9HbVH3JUm2bVRR-g6klRIyxeTY1iaCc7ghd0agnZueqaSXAbRXyD5yhtdcDq\
            u5l61xGjUVSl2E4s5-EU22hR4uv628bCq2Un-Swo313t_CH6ikXyopHjrn5ZaeRyRNRG8aLvopsoTQ
            """
        #expect(throws: JOSEError.invalidSignature) {
            try verify(Self.openSSLInput + signature, with: openSSLKey, .ps256)
        }
    }

    private var openSSLKey: JSONObject {
        [
            "kty": "RSA", "alg": "PS256", "kid": "ps", "n": .string(Self.openSSLModulus),
            "e": "AQAB",
        ]
    }

    @Test("RFC 7638 §3.1: the thumbprint of the RSA key")
    func thumbprint() throws {
        let jwk: JSONObject = [
            "kty": "RSA",
            "n": """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tS\
            oc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65\
            YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyr\
            dkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK\
            nqDKgw
            """,
            "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
        ]
        let thumbprint = JWKThumbprint(try JWK(parsing: jwk))
        #expect(thumbprint.text == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test("RFC 7638 §3.2: the thumbprint of an EC key, as Python's hashlib computes it")
    func thumbprintOfCurve() throws {
        let jwk: JSONObject = [
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "kty": "EC", "use": "sig",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "crv": "P-256",
        ]
        let thumbprint = JWKThumbprint(try JWK(parsing: jwk))
        #expect(thumbprint.text == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
    }

    @Test(
        "OpenID Connect Core §3.1.3.6: at_hash is the left half of the hash the algorithm signs with"
    )
    func leftHalfHash() {
        // Core A.3 and A.4 print these for RS256.
        let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
        for algorithm in [SignatureAlgorithm.rs256, .es256, .ps256] {
            #expect(algorithm.leftHalfHash(of: accessToken) == "77QmUPtjPfzWtF2AnpK9RQ")
            #expect(algorithm.leftHalfHash(of: code) == "LDktKdoQak3Pk0cnXxCltA")
        }
        // SHA-512 of "abc", its first 32 bytes.
        #expect(
            SignatureAlgorithm.edDSA.leftHalfHash(of: "abc")
                == "3a81oZNherrMQXNJriBBMRLm-k6JqX6iCp7u5ktV05o"
        )
    }

    private func verify(
        _ token: String,
        with jwk: JSONObject,
        _ algorithm: SignatureAlgorithm
    ) throws -> VerifiedJWT {
        let key = try VerificationKey(JWK(parsing: jwk))
        return try JWT(parsing: token).verified(by: [key], allowing: [algorithm], types: [.jwt])
    }
}
