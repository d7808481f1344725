import PorticoAdministration
import PorticoProvider

/// The addresses of the administration: a row each.
struct AdminRoutes: Sendable {
    let rows: [AdminRow]

    init(_ administration: RealmAdministration, _ provider: Provider) {
        rows =
            AdminServer().rows
            + AdminRealms(administration: administration).rows
            + AdminClients(administration: administration).rows
            + AdminScopes(administration: administration).rows
            + AdminMappers(administration: administration).rows
            + AdminRoles(administration: administration).rows
            + AdminRoleMappings(administration: administration).rows
            + AdminGroups(administration: administration).rows
            + AdminPeople(administration: administration).rows
            + AdminCredentials(administration: administration).rows
            + AdminSessions(administration: administration).rows
            + AdminPartialImport(administration: administration).rows
            + AdminMails(administration: administration, links: provider.actionLinks).rows
            + AdminEvents(administration: administration, trail: provider.trail).rows
            + AdminBruteForce(administration: administration, tries: provider.tries).rows
            + AdminRealmSessions(administration: administration).rows
            + AdminIdentityProviders(administration: administration).rows
            + AdminKeptParts(administration: administration).rows
            + AdminFlows(administration: administration).rows
            + AdminRequiredActions(administration: administration).rows
            + AdminComponents(administration: administration).rows
            + AdminUserProfile(administration: administration).rows
            + AdminPartialExport(administration: administration).rows
            + AdminClientViews(administration: administration).rows
    }
}
