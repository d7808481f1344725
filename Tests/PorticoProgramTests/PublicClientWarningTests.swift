import PorticoTestSupport
import Testing

@Suite("Setting up sign-in by handle as a public client") struct PublicClientWarningTests {
    @Test(
        "SEED-TIJS-4: whoever sets up a public client is told that hosts end its sessions after 14 days"
    )
    func told() throws {
        let portico = try PorticoProcess()
        for (options, isTold) in [([], false), (["--public"], true)] {
            let outcome = try portico.run(
                ["provider", "add", "atproto", "--dry-run", "--data-directory", "data"] + options
            )
            #expect(outcome.status == 0, "\(outcome.stderr)")
            #expect(outcome.stderr.contains("after 14 days") == isTold)
        }
    }
}
