import NIOCore
import NIOHTTP1
import NIOPosix
import PorticoBytes

/// A body that is longer than others: whose it is, is asked before it is read, and the disk before
/// more of it is. Meanwhile nothing more of the connection is decoded.
extension RequestValidator {
    var isHeld: Bool { heldSince != nil }

    func judge(_ check: @escaping UploadCheck, _ context: ChannelHandlerContext) {
        hold()
        let loop = context.eventLoop
        let this = NIOLoopBound(self, eventLoop: loop)
        Task(executorPreference: EventLoopExecutor(loop)) {
            let account = await check()
            if loop.inEventLoop {
                this.value.judged(account)
            } else {
                loop.execute { this.value.judged(account) }
            }
        }
    }

    private func judged(_ account: UniqueID?) {
        guard let context, isHeld, reading == .body, let head = arriving.head,
            let uploads = limits.uploads
        else { return }
        guard let account else { return leave(.notAdmitted, context) }
        do throws(Upload.Unread) {
            let place = try uploads.places.take(
                for: account,
                stored: uploads.stored(of: head.bodyLength)
            )
            arriving.upload = ArrivingUpload(
                place: place,
                start: .now(),
                isCounted: head.bodyLength != nil
            )
            goOn(head, context)
            release(context)
        } catch {
            leave(error, context)
        }
    }

    /// The body is wanted.
    func goOn(_ head: RequestHead, _ context: ChannelHandlerContext) {
        guard head.expectsContinue, unanswered.isEmpty else { return }
        let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
    }

    /// After each part of a long body.
    func received(_ upload: ArrivingUpload, _ context: ChannelHandlerContext) {
        deadline = upload.deadline(after: arriving.received, at: .now(), limits)
        // Who sends does not wait, and makes no room for others.
        budget.isWaiting(place, since: .now())
        if upload.mustStore(arriving.body?.readableBytes ?? 0) { store(upload, context) }
    }

    func store(_ upload: ArrivingUpload, _ context: ChannelHandlerContext) {
        guard let uploads = limits.uploads else { return }
        hold()
        let bytes = arriving.takeBody()
        let loop = context.eventLoop
        let this = NIOLoopBound(self, eventLoop: loop)
        NIOThreadPool.singleton.submit { state in
            let spool = state == .active ? uploads.store(bytes, of: upload) : nil
            loop.execute { this.value.stored(spool) }
        }
    }

    private func stored(_ spool: SpooledBody?) {
        guard let context, isHeld, reading == .body, arriving.upload != nil else { return }
        guard let spool else { return leave(.full, context) }
        arriving.upload?.spool = spool
        release(context)
    }

    private func hold() {
        heldSince = .now()
        deadline = nil
    }

    private func release(_ context: ChannelHandlerContext) {
        if var upload = arriving.upload, let heldSince {
            let now = NIODeadline.now()
            upload.start = upload.start + (now - max(heldSince, upload.start))
            deadline = upload.deadline(after: arriving.received, at: now, limits)
            arriving.upload = upload
        }
        heldSince = nil
        while !isHeld, reading != .stopped, let part = heldParts.popFirst() { take(part, context) }
        if !isHeld { whenAnswered?() }
    }

    /// The responder is told that there is no body, and the connection ends with the answer.
    private func leave(_ reason: Upload.Unread, _ context: ChannelHandlerContext) {
        heldSince = nil
        heldParts.removeAll()
        passOn(context, unread: reason)
        whenAnswered?()
    }
}
