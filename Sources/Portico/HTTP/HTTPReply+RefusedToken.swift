import PorticoProtocol

extension HTTPReply {
    /// Whether the server refused the access token as invalid (RFC 6750 §3.1, RFC 9449 §7.1).
    var hasRefusedToken: Bool {
        challenges.contains {
            ["bearer", "dpop"].contains($0.scheme) && $0.parameters["error"] == "invalid_token"
        }
    }

    /// Whether the server refused the proof that came with the token (RFC 9449 §7.1).
    var hasRefusedProof: Bool {
        challenges.contains {
            $0.scheme == "dpop" && $0.parameters["error"] == "invalid_dpop_proof"
        }
    }
}
