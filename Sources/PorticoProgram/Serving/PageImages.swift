import PorticoPages
import PorticoWeb

/// Serves the icon, the logo and the logos of providers: `/favicon.ico`, `/assets/logo`,
/// `/assets/brand/apple`.
struct PageImages: PageService {
    let page: PageResponder
    let routes: RouteTable<PlainContext>

    /// - Parameter images: By path. Without an icon the logo is it, and without that our mark.
    init(_ images: [String: PageImage], _ page: PageResponder) throws {
        self.page = page
        var images = images
        if images[PageImage.icon] == nil {
            images[PageImage.icon] =
                images[PageImage.logo] ?? PageImage(svg: page.renderer.theme.mark)
        }
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
