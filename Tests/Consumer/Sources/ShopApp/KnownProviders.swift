import Portico

func client(ofAuth0Tenant tenant: String) -> SignInClient {
    var options = SignInClient.Options()
    options.parameters = ["audience": "https://api.example.com"]
    return SignInClient(
        issuer: "https://\(tenant).eu.auth0.com/",
        clientID: "notes-app",
        redirect: .scheme("com.example.notes:/callback"),
        scopes: [.openid, .profile, .offlineAccess],
        options: options
    )
}

func clientOfEveryEntraTenant() -> SignInClient {
    var options = SignInClient.Options()
    options.pkceUnannounced = true
    options.tenantIssuers = "https://login.microsoftonline.com/{tenantid}/v2.0"
    return SignInClient(
        issuer: "https://login.microsoftonline.com/common/v2.0",
        clientID: "2c1b0c5e-0000-4000-8000-000000000000",
        redirect: .scheme("com.example.notes:/callback"),
        scopes: [.openid, .profile, .offlineAccess],
        options: options
    )
}
