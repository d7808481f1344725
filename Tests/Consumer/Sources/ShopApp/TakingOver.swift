import Portico

func takeOver(
    accessToken: String,
    refreshToken: String?,
    idToken: String?,
    by client: SignInClient
) async throws -> Session {
    let credentials = Credentials(
        accessToken: accessToken,
        refreshToken: refreshToken,
        idToken: idToken
    )
    return try await Session(adopting: credentials, by: client)
}
