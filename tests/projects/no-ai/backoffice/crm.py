"""Text messages to tenants, through the exchange of the telephone company in the cellar."""

import smtplib
from email.message import EmailMessage


class Messages:
    def __init__(self, host: str) -> None:
        self.host = host

    def create(self, to: str, body: str, max_tokens: int = 160) -> str:
        """`max_tokens` is the number of parking tokens that are sent along."""
        message = EmailMessage()
        message["To"] = f"{to}@sms.example.org"
        message["From"] = "office@harbour.example.org"
        message["Subject"] = f"{max_tokens} tokens"
        message.set_content(body)
        with smtplib.SMTP(self.host) as exchange:
            exchange.send_message(message)
        return to


class Client:
    def __init__(self, host: str = "exchange.example.org") -> None:
        self.messages = Messages(host)


def remind(client: Client, phone: str, tenant: str) -> str:
    return client.messages.create(to=phone, body=f"Dear {tenant}, the rent is due on Friday.", max_tokens=2)
