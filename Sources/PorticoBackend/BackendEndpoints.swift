/// The endpoints of the BFF.
struct BackendEndpoints: Sendable {
    let responder: BackendResponder
    let start: StartEndpoint
    let callback: CallbackEndpoint
    let handles: HandleEndpoints
    let token: AppTokenEndpoint
    let refresh: AppRefreshEndpoint
    let native: NativeEndpoint
    let providerCalls: ProviderCallsEndpoint
    let session: SessionEndpoint
    let accounts: AccountEndpoint
    let reauthentication: ReauthenticationEndpoint
    let association: AssociationFilesEndpoint
    let proxy: ProxyEndpoint
    let handleSession: HandleSessionEndpoint
    let xrpc: XRPCEndpoint
    let choose: ChoosePages
    let join: AccountLinkingPages
    let overview: AccountPages
    let details: DetailsPages
    let ways: SignInMethodPages
    let proof: ConfirmPages
    let other: HomePages
}
