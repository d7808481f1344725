import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import PorticoBytes

/// Passes on whole requests in order, and enforces the limits of size and time.
///
/// It is placed between NIO's decoder and the responder. A request is passed on when its last byte
/// has arrived, so that no handler waits for a slow or broken body. Input that cannot be a request
/// is answered directly and the connection closed (RFC 9112 §2.2, §9.6).
final class RequestValidator: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Request
    typealias OutboundIn = Response
    typealias OutboundOut = HTTPServerResponsePart

    enum Reading {
        /// No byte of the next request has arrived.
        case nothing
        case head
        case body
        /// Nothing is read any more; input is discarded.
        case stopped
    }

    let limits: ConnectionLimits
    let budget: ConnectionBudget
    let place: ConnectionBudget.Place
    private let uploads: @Sendable (Request) -> UploadCheck?
    private let refused: @Sendable (RequestRefusal) -> Void
    private let date: CurrentDate

    private(set) var context: ChannelHandlerContext?
    private(set) var reading = Reading.nothing
    var arriving = ArrivingRequest()
    /// Since when a long body waits for its judgement or the disk, and what was decoded meanwhile.
    var heldSince: NIODeadline?
    var heldParts = CircularBuffer<HTTPServerRequestPart>()
    /// For the requests passed on and not answered yet, in order: whether the method is HEAD.
    private(set) var unanswered = CircularBuffer<Bool>(initialCapacity: 2)
    private var refusal: RequestRefusal?
    /// The deadline for what the peer must send or read.
    var deadline: NIODeadline?
    /// While the peer leaves so much of its answers unread that no more are made.
    var unreadAnswer: UnreadAnswer?
    private var firstLine = FirstLine()
    private var isQuiescing = false
    private var isPeerDone = false
    private(set) var isLeaving = false

    /// Called when every request that was passed on is answered, and when a long body goes on.
    var whenAnswered: (() -> Void)?

    /// Whether a request is being answered, or its long body waits, and more may follow.
    var isAnswering: Bool { (!unanswered.isEmpty || isHeld) && reading != .stopped }

    /// How many bytes of the body are still missing, as far as `Content-Length` gives it.
    var bodyLeft: Int { arriving.bodyLeft }

    init(
        limits: ConnectionLimits,
        budget: ConnectionBudget,
        place: ConnectionBudget.Place,
        date: CurrentDate,
        uploads: @escaping @Sendable (Request) -> UploadCheck? = { _ in nil },
        refused: @escaping @Sendable (RequestRefusal) -> Void
    ) {
        self.limits = limits
        self.budget = budget
        self.place = place
        self.uploads = uploads
        self.refused = refused
        self.date = date
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline = .now() + limits.headTime
        scheduleTick(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        budget.give(back: place)
        context.fireChannelInactive()
    }

    // MARK: In

    /// Whether the decoder should get these bytes.
    func admits(_ bytes: ByteBuffer) -> Bool {
        if reading == .stopped { return false }
        if reading == .nothing {
            reading = .head
            firstLine = FirstLine()
            let now = NIODeadline.now()
            deadline = now + limits.headTime
            // It is waited for since now, however long the connection was silent before.
            if unanswered.isEmpty { budget.isWaiting(place, since: now) }
        }
        if reading == .head, !firstLine.fits(bytes, target: limits.target) {
            refuse(.targetTooLong)
            return false
        }
        keep(bytes)
        // The extensions of chunks are no part of the body, and have no length of their own.
        let longest = arriving.longest(limits)
        if arriving.kept > limits.request(longest) { refuse(.bodyTooLong) }
        return reading != .stopped
    }

    private func keep(_ bytes: ByteBuffer) {
        arriving.kept += bytes.readableBytes
        // Places limit the long ones.
        budget.keeps(arriving.upload == nil ? arriving.kept : 0, at: place)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard reading != .stopped else { return }
        let part = unwrapInboundIn(data)
        if isHeld { heldParts.append(part) } else { take(part, context) }
    }

    func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head): begin(head, context)
        case .body(let bytes):
            guard arriving.append(bytes, within: limits) else { return refuse(.bodyTooLong) }
            if let upload = arriving.upload { received(upload, context) }
        case .end:
            guard let upload = arriving.upload, arriving.isPartlyStored else {
                return passOn(context)
            }
            heldParts.prepend(part)
            store(upload, context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        do {
            let head = try RequestHead(head, limits: limits) {
                uploads(Request(head: $0, peer: context.remoteAddress))
            }
            arriving.head = head
            reading = .body
            deadline = .now() + limits.bodyTime
            if let check = head.uploadCheck { judge(check, context) } else { goOn(head, context) }
        } catch {
            refuse(error)
        }
    }

    /// - Parameter unread: Why there is no body, where there should be one: nothing is read after it.
    func passOn(_ context: ChannelHandlerContext, unread: Upload.Unread? = nil) {
        guard let head = arriving.head else { return refuse(.malformed) }
        let upload = unread.map { Upload.unread($0) } ?? arriving.uploaded
        let body = arriving.body
        arriving = ArrivingRequest()
        unanswered.append(head.request.method == .head)
        reading = head.keepsAlive && !isQuiescing && unread == nil ? .nothing : .stopped
        deadline = nil
        budget.isBusy(place)
        let request = Request(
            head: head.request,
            body: body ?? ByteBuffer(),
            upload: upload,
            peer: context.remoteAddress
        )
        context.fireChannelRead(wrapInboundOut(request))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        refuse(error == .headerOverflow ? .headersTooLarge : .malformed)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isQuiescing = true
            if reading == .nothing { stopReading(context) }
        case ChannelEvent.inputClosed:
            isPeerDone = true
            stopReading(context)
            context.fireUserInboundEventTriggered(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func stopReading(_ context: ChannelHandlerContext) {
        if reading != .stopped { reading = .stopped }
        if unanswered.isEmpty, !isLeaving { context.close(promise: nil) }
    }

    // MARK: Out

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        let response = unwrapOutboundIn(data)
        let isToHead = unanswered.popFirst() == true
        let isLast = unanswered.isEmpty
        var head = HTTPResponseHead(response, at: date)
        if reading == .stopped, isLast {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        // RFC 9110 §9.3.2: the answer to HEAD has no body.
        if !isToHead, response.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        guard isLast else {
            return context.write(wrapOutboundOut(.end(nil)), promise: promise)
        }
        // From now on we wait for the peer.
        let now = NIODeadline.now()
        budget.isWaiting(place, since: now)
        if reading != .stopped {
            context.write(wrapOutboundOut(.end(nil)), promise: promise)
            if reading == .nothing { deadline = now + limits.idleTime }
        } else if let refusal {
            context.write(wrapOutboundOut(.end(nil)), promise: promise)
            send(refusal, context)
        } else {
            sendLast(context, promise: promise)
        }
        whenAnswered?()
    }

    /// A peer that does not read its answers prevents us from working on them: it is treated like
    /// one that sends nothing.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isRead = context.channel.isWritable
        let now = NIODeadline.now()
        unreadAnswer = isRead ? nil : UnreadAnswer(unsentBytes(context), at: now)
        if !unanswered.isEmpty {
            if isRead { budget.isBusy(place) } else { budget.isWaiting(place, since: now) }
        }
        context.fireChannelWritabilityChanged()
    }

    /// The peer receives the last answer before the close.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        reading = .stopped
        // If a last answer is being sent, its end closes the connection.
        if !isLeaving { linger(context) }
        promise?.succeed()
    }

    func refuse(_ refusal: RequestRefusal) {
        guard let context, reading != .stopped else { return }
        reading = .stopped
        deadline = nil
        arriving = ArrivingRequest()
        budget.keeps(0, at: place)
        refused(refusal)
        // Answers go out in the order of the requests (RFC 9112 §9.3.2).
        if unanswered.isEmpty { send(refusal, context) } else { self.refusal = refusal }
    }

    private func send(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        self.refusal = nil
        context.write(wrapOutboundOut(.head(refusal.answer)), promise: nil)
        sendLast(context, promise: nil)
    }

    /// Ends the last answer; the connection closes when all of it is sent.
    private func sendLast(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        isLeaving = true
        deadline = .now() + limits.answerTime
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [weak self] _ in
            guard let self, let context = self.context else { return }
            linger(context)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    private func linger(_ context: ChannelHandlerContext) {
        isLeaving = true
        deadline = .now() + limits.lingerTime
        context.close(mode: isPeerDone ? .all : .output, promise: nil)
    }
}

@available(*, unavailable)
extension RequestValidator: Sendable {}

/// The deadlines of a connection.
extension RequestValidator {
    func scheduleTick(_ context: ChannelHandlerContext) {
        let shortest = min(limits.headTime, limits.bodyTime, limits.idleTime, limits.lingerTime)
        let tick = TimeAmount.nanoseconds(
            min(1_000_000_000, max(10_000_000, shortest.nanoseconds / 5))
        )
        context.eventLoop.assumeIsolated().scheduleTask(in: tick) { [weak self] in
            guard let self, let context = self.context else { return }
            check(context)
            scheduleTick(context)
        }
    }

    /// Bytes of answers that the system has not taken.
    func unsentBytes(_ context: ChannelHandlerContext) -> Int {
        // `try?`: of a channel that does not say it, nothing counts as taken.
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if var unread = unreadAnswer {
            let isTaken = unread.isTaken(unsentBytes(context), at: now)
            unreadAnswer = unread
            guard now < unread.deadline(limits) else { return context.close(promise: nil) }
            // The last answer has a deadline of its own, for what is left when it is nearly read.
            if isTaken, isLeaving { deadline = now + limits.answerTime }
            // A client that has an answer to read is not idle.
            if reading == .nothing { deadline = now + limits.idleTime }
        }
        guard let deadline, now >= deadline else { return }
        switch reading {
        // A silent close: an answer could be mistaken for that of a request just sent.
        case .nothing, .stopped: context.close(promise: nil)
        case .head, .body: refuse(.tooSlow)
        }
    }
}

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

    private func judged(_ account: String?) {
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
