"""An integration as the document asks for one: a client that retries what it may, and receives webhooks."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import tideover


class Declined(Exception):
    """The service has refused a request. Decide by the code: the prose may change."""

    def __init__(self, status: int, code: str, prose: str) -> None:
        super().__init__(f"{status} {code}: {prose}")
        self.status = status
        self.code = code


class Partner:
    """The client."""

    def __init__(self, url: str, key: str, backoff: float = 0.5) -> None:
        self.url, self.key, self.backoff = url, key, backoff

    def sync_vendor(self, vendor: str, legal_name: str, tax_id: str) -> None:
        self._repeatable(
            "PUT", f"/v1/organizations/{quote(vendor, '')}", {"legalName": legal_name, "taxId": tax_id}
        )

    def set_payout_account(self, vendor: str, account: str, routing: str) -> None:
        path = f"/v1/organizations/{quote(vendor, '')}/payout-account"
        self._repeatable("PUT", path, {"accountNumber": account, "routingNumber": routing})

    def sync_invoice(self, vendor: str, invoice: str, fields: Mapping[str, Any]) -> None:
        self._repeatable("PUT", f"/v1/invoices/{quote(invoice, '')}", {"status": "ISSUED", **fields})

    def invite(self, vendor: str, email: str) -> None:
        self._repeatable("POST", "/v1/invitations", {"externalId": vendor, "email": email})

    def quote(self, vendor: str, face_value: int) -> dict[str, Any]:
        body = {"externalId": vendor, "invoiceFaceValue": face_value}
        return dict(self._repeatable("POST", "/v1/quotes", body))

    def request_advance(self, vendor: str, invoice: str) -> dict[str, Any]:
        """The advance, and the account that the payor has to pay into from now on."""
        body = {"payeeExternalId": vendor, "invoiceExternalId": invoice}
        return dict(self._repeatable("POST", "/v1/advances", body))

    def read_invoice(self, vendor: str, invoice: str) -> dict[str, Any]:
        path = f"/v1/organizations/{quote(vendor, '')}/invoices/{quote(invoice, '')}"
        return dict(self._repeatable("GET", path))

    def subscribe(self, url: str) -> str:
        """The secret. If the answer is lost, the subscription is deleted and made again."""
        try:
            subscription = self._send("POST", "/v1/webhooks", {"url": url})
        except (Declined, OSError, http.client.HTTPException) as error:
            if isinstance(error, Declined) and error.code not in ("already_subscribed", "upstream_failed"):
                raise
            for live in self._repeatable("GET", "/v1/webhooks"):
                if live["url"] == url:
                    self._unsubscribe(live["reference"])
            subscription = self._send("POST", "/v1/webhooks", {"url": url})
        return str(subscription["secret"])

    def _unsubscribe(self, reference: str) -> None:
        try:
            self._repeatable("DELETE", f"/v1/webhooks/{reference}")
        except Declined as declined:
            # A repetition may find that the first request has deleted it.
            if declined.code != "subscription_not_found":
                raise

    def _repeatable(self, method: str, path: str, body: object = None) -> Any:
        """Sends what is safe to repeat: again after 502, and if there is no answer."""
        for attempt in range(4):
            try:
                return self._send(method, path, body)
            except Declined as declined:
                if declined.status != 502 or attempt == 3:
                    raise
            except (OSError, http.client.HTTPException):
                if attempt == 3:
                    raise
            time.sleep(self.backoff * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _send(self, method: str, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                failure = json.loads(error.read())
            raise Declined(error.code, failure["code"], failure["error"]) from None
        return json.loads(text) if text else None


class Books:
    """What the platform knows. Keep yours in a database, with one transaction for each webhook."""

    def __init__(self, secret: str = "") -> None:
        self.secret = secret
        self.done: set[str] = set()
        self.advances: dict[tuple[str, str], tuple[int, str]] = {}
        self.paid: list[tuple[str, str]] = []
        self.ignored: list[str] = []

    def receive(self, headers: Mapping[str, str], body: bytes) -> int:
        """Processes a webhook; returns the status to answer with. Pass the raw body."""
        try:
            tideover.verify(self.secret, headers, body)
        except tideover.NotVerified:
            # Not 410, which would end the subscription.
            return 401
        delivery = next(value for name, value in headers.items() if name.lower() == "service-delivery")
        if delivery in self.done:
            self.ignored.append("repeated")
        else:
            self._process(json.loads(body))
            # Not earlier: a webhook that could not be processed is to come again.
            self.done.add(delivery)
        return 204

    def _process(self, event: Mapping[str, Any]) -> None:
        # A type that is not known yet is accepted, and changes nothing.
        if event["type"] == "partner.invoice.factoredUpdated":
            data = event["data"]
            # Two vendors may have an invoice of the same name: the pair is the key.
            invoice = data["payeeExternalId"], data["invoiceExternalId"]
            held, _ = self.advances.get(invoice, (0, ""))
            if event["sequence"] <= held:
                self.ignored.append("out of date")
            else:
                self.advances[invoice] = event["sequence"], data["state"]
        elif event["type"] == "partner.loan.paid":
            self.paid.append((event["data"]["payeeExternalId"], event["data"]["invoiceExternalId"]))
