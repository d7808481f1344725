"""After the restart: checks everything that the server acknowledged before it died."""

import concurrent.futures
import random
import secrets
import threading

from load import Grant, Lost, Person, Unexpected, same_person


class Questions:
    """Findings are sentences; none means that every promise was kept."""

    Asking = Person

    def __init__(self, provider, limit):
        self.provider = provider
        self.limit = limit
        self.findings = []
        self.counts = {}
        self.local = threading.local()
        self.lock = threading.Lock()

    def person(self):
        if not hasattr(self.local, "person"):
            self.local.person = self.Asking(self.provider)
        return self.local.person

    def found(self, sentence):
        with self.lock:
            self.findings.append(sentence)

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def everyone(self, check, records):
        def guarded(record):
            try:
                check(self.person(), record)
            except (Lost, Unexpected) as problem:
                self.found(f"{type(problem).__name__} after the restart: {problem}")

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(guarded, records))

    def asked(self, records):
        """All with an unknown outcome after the kill, and as many others as the limit allows."""
        cut_off = [one for one in records if one.pending or one.expected() == "unknown"]
        others = [one for one in records if one not in cut_off]
        return cut_off + random.sample(others, min(len(others), self.limit))


class Aftermath(Questions):
    """About the Provider."""

    def run(self, sessions, codes, grants):
        """Returns the sessions and grants that are still good, for the next round."""
        self.new_grants = []
        # Codes live for a minute: those that may still be good come first.
        open_codes = [code for code in codes if code.state in ("unused", "unknown")]
        self.everyone(self.unspent_code, open_codes)
        self.everyone(self.refused_code, [code for code in codes if code.state == "refused"])
        self.everyone(self.session, sessions)
        asked = self.asked(grants)
        self.everyone(self.grant, asked)
        # From here on grants end: a third by a replayed code, a third by an old generation.
        good = [grant for grant in asked if grant.expected() == "alive"] + self.new_grants
        self.everyone(self.replayed_code, [grant for grant in good[::3] if grant.fresh()])
        self.everyone(self.old_generation, good[1::3])
        good = [grant for grant in good if grant.expected() == "alive"]
        return [session for session in sessions if session.state == "alive"], good

    # A code is good at most once, whenever it was presented.

    def unspent_code(self, person, code):
        if code.session.state != "alive" or not code.fresh():
            return
        token = person.redeem(code)
        if token:
            self.count("codes redeemed after the restart")
            self.new_grants.append(
                Grant(code, [token["refresh_token"]], token["access_token"], token["id_token"])
            )
        elif code.state == "unused":
            self.found("a code that was handed out and never presented is refused")
        else:
            self.count("codes spent in the request that the kill cut off")

    def refused_code(self, person, code):
        if code.fresh() and person.redeem(code):
            self.found("a code that was refused for a wrong verifier is good")
        self.count("codes refused again")

    def replayed_code(self, person, grant):
        if person.redeem(grant.code):
            self.found("a code that was redeemed before is good again")
        if person.refresh(grant.tokens[-1], secrets.token_urlsafe(16)):
            self.found("the grant survived the replay of its code with the right verifier")
        grant.state = "ended"
        self.count("spent codes refused")

    # A sign-in that was acknowledged still gives codes; one that was ended does not.

    def session(self, person, session):
        code = person.new_code(session)
        if session.state == "unknown":
            session.state = "alive" if code else "ended"
            self.count("sign-outs cut off")
        elif (code is None) != (session.state == "ended"):
            self.found(f"a session that was {session.state} is {'alive' if code else 'not known'}")
        else:
            self.count(f"sessions {session.state} as acknowledged")

    # A refresh token that was acknowledged is good; one that was revoked is not.

    def grant(self, person, grant):
        expected = grant.expected()
        if expected == "ended":
            if person.refresh(grant.tokens[-1], secrets.token_urlsafe(16)):
                self.found("a grant that was revoked is good again")
            if person.knows(grant.access):
                self.found("the access token of a revoked grant is good again")
            self.count("ended grants refused")
            return
        if grant.pending:
            # The response was lost: the client gets it, with the same key or within the grace period.
            token = person.refresh(grant.tokens[-1], grant.pending_key)
            key = grant.pending_key
            self.count("refreshes cut off and repeated")
        else:
            if expected == "alive" and not person.knows(grant.access):
                self.found("the access token of a live grant is refused")
            key = secrets.token_urlsafe(16)
            token = person.refresh(grant.tokens[-1], key)
            self.count("grants refreshed")
        if token is None:
            grant.state = "ended" if expected == "unknown" else "lost"
            if expected == "alive":
                self.found(f"an acknowledged refresh token is refused (pending: {grant.pending})")
            return
        if expected == "unknown":
            grant.state = "alive"
        if not same_person(grant, token):
            self.found("a refresh gave another person's token")
        grant.pending, grant.key = False, key
        grant.tokens.append(token["refresh_token"])
        grant.access, grant.id_token = token["access_token"], token["id_token"]

    # An old generation is refused and ends the family; the last one repeats for its own key only.

    def old_generation(self, person, grant):
        if len(grant.tokens) < 2 or grant.state != "alive" or grant.session.state != "alive":
            return
        if grant.key:
            again = person.refresh(grant.tokens[-2], grant.key)
            if again is None or again["refresh_token"] != grant.tokens[-1]:
                self.found("a repeated refresh with its own Idempotency-Key gave another token")
        old = grant.tokens[-3] if len(grant.tokens) > 2 else grant.tokens[-2]
        if person.refresh(old, secrets.token_urlsafe(16)):
            self.found("an old generation of a refresh token is good")
        if person.refresh(grant.tokens[-1], secrets.token_urlsafe(16)):
            self.found("the family survived the use of an old generation")
        grant.state = "ended"
        self.count("families ended by an old generation")
