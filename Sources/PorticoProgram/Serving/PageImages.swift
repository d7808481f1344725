import PorticoPages
import PorticoWeb

/// Serves the logo and the logos of providers: `/assets/logo`, `/assets/brand/apple`.
struct PageImages: PageService {
    let page: PageResponder
    let routes: RouteTable<PlainContext>

    /// - Parameter images: By path.
    init(_ images: [String: PageImage], _ page: PageResponder) throws {
        self.page = page
        routes = try RouteTable(
            images.map { path, image in
                .get(RoutePath(path), for: .people) { image.response($0, page.headers) }
            }
        )
    }

    func context(_ request: RequestContext, _ parameters: PathParameters) -> PlainContext? {
        PlainContext(request)
    }
}
