"""aiosmtpd on a free loopback port, for the tests: prints what it gets, read by Python's own parser.

The first line says the port. Each mail is one more line. It ends with its standard input.
"""

import argparse
import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


def say(line):
    print(json.dumps(line), flush=True)


class Keep:
    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.original_content, policy=email.policy.default)

        def part(kind):
            found = mail.get_body(preferencelist=(kind,))
            return found.get_content() if found is not None else ""

        say(
            {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "user": getattr(session, "user", ""),
                "encrypted": server.transport.get_extra_info("ssl_object") is not None,
                "headers": [[name, str(value)] for name, value in mail.items()],
                "text": part("plain"),
                "html": part("html"),
                "source": envelope.original_content.decode("latin-1"),
                "defects": [str(defect) for piece in mail.walk() for defect in piece.defects],
            }
        )
        return "250 OK"


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", choices=("none", "starttls", "implicit"), default="none")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--user")
    parser.add_argument("--password")
    arguments = parser.parse_args()
    context = None
    if arguments.tls != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.certificate, arguments.key)

    def authenticate(server, session, envelope, mechanism, given):
        session.user = given.login.decode()
        right = (arguments.user.encode(), arguments.password.encode())
        # Not handled: it answers by itself.
        return AuthResult(success=(given.login, given.password) == right, handled=False)

    def connection():
        return SMTP(
            Keep(),
            hostname="localhost",
            tls_context=context if arguments.tls == "starttls" else None,
            require_starttls=arguments.tls == "starttls",
            authenticator=authenticate if arguments.user else None,
            auth_required=bool(arguments.user),
            # Implicit TLS is not known to it as TLS.
            auth_require_tls=arguments.tls == "starttls",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        connection, "127.0.0.1", 0, ssl=context if arguments.tls == "implicit" else None
    )
    say({"port": server.sockets[0].getsockname()[1]})
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
