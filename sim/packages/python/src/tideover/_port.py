"""What the operator port offers. `make_port.py` writes this file from the port's own description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

Act = Literal[
    "upstreamFails",
    "connectionDrops",
    "answerCut",
    "importStops",
    "answerDelayed",
    "requestRepeated",
    "requestThrottled",
    "deliveryLate",
    "deliveryDuplicated",
    "deliverySwapped",
    "deliveryDropped",
    "unknownEventType",
    "unknownField",
    "unknownValue",
    "bodyIndented",
    "signedWithAnotherSecret",
    "signedAnHourAgo",
]


EventType = Literal[
    "partner.organization.added",
    "partner.organization.optedIn",
    "partner.organization.remittanceUpdated",
    "partner.invoice.created",
    "partner.invoice.paid",
    "partner.invoice.factoredUpdated",
    "partner.loan.created",
    "partner.loan.issued",
    "partner.loan.paid",
]


Scenario = Literal["fresh", "onboarded", "funded", "repaid", "at-the-limit"]


VendorRoute = Literal["VENDOR_ASSERTION", "W9_UPLOAD"]


When = Literal["beforeCommit", "afterCommit"]


#: The types that the document does not have, and the mock may send: by a fault, or greased.
UnlistedEventType = Literal[
    "partner.account.reviewed",
    "partner.document.available",
    "partner.notice.sent",
    "partner.record.archived",
]


class WorldOptions(TypedDict, total=False):
    #: Whether its clock runs by itself.
    clock: Literal["still", "running"] | None
    #: It is deleted once nobody has used it for so many seconds: no request, and no stream of events.
    expires_after_idle_seconds: int | None
    #: Rules of faults.
    faults: Sequence[Mapping[str, Any]] | None
    #: Whether it takes freedoms.
    grease: bool | None
    #: The number of platforms, or the names of those beside the first.
    platforms: int | Sequence[str] | None
    #: The fields of a profile. Those that are missing have their values of the standard profile.
    profile: Mapping[str, Any] | None
    #: How far the story has gone.
    scenario: Scenario | None
    #: The seed of all that the service chooses.
    seed: int | None
    #: How many times as fast as the wall clock it runs.
    speed: int | None
    #: When its clock starts. If neither this nor the mock says it, and the mock's clock runs: now.
    start: str | None


class FaultOptions(TypedDict, total=False):
    #: For `answerCut`: how many bytes of the body arrive.
    after_bytes: int
    #: For `importStops`: how many rows are carried out.
    after_rows: int
    #: For `deliveryDropped`, `signedWithAnotherSecret` and `signedAnHourAgo`: how many attempts, from the
    #: first; 1 if it is left out.
    attempts: int
    #: Only deliveries of events of this type.
    event: EventType
    #: Only requests that name this business, invoice, import or subscription.
    identifier: str
    #: Only deliveries about this invoice.
    invoice: str
    #: The label of the fault in a journal or a trace; the name of its act, unless given.
    label: str
    #: For `answerDelayed`: how late the answer is.
    milliseconds: int
    #: Only the request or the delivery of this number, from 1, among those that the conditions above
    #: select.
    nth: int
    #: Only requests of this operation, by its `operationId`.
    operation: str
    #: Only deliveries about this business, or about an invoice of this payee.
    payee: str
    #: Only this percentage of those that the conditions above select, at random from the seed.
    percent: int
    #: For `requestThrottled`: the value of `Retry-After`.
    retry_after_seconds: int
    #: For `deliveryLate`: how late it is, by the world's clock.
    seconds: int
    #: For `upstreamFails` and `connectionDrops`: before or after the effect of the request.
    when: When


class JournalFilter(TypedDict, total=False):
    #: Only from this number on.
    after: int
    #: Only of this operation, by its `operationId`.
    operation: str
    #: Only answers with this status, such as `404` or `4xx`.
    status: str
    #: Only refusals with this code.
    code: str
    #: Only those that this rule decided.
    clause: str
    #: Only paths that contain this.
    path: str
    #: Only about this business.
    payee: str
    #: Only about this invoice.
    invoice: str
    #: Only those that met the fault with this label.
    fault: str
    #: Only those whose bodies contain this.
    text: str


class DeliveryFilter(TypedDict, total=False):
    #: Only from this number on.
    after: int
    #: Only of the subscription with this reference.
    subscription: str
    #: Only events of this type, such as `partner.loan.paid`.
    type: str
    #: Only about invoices of this payee.
    payee: str
    #: Only about this invoice.
    invoice: str
    #: Only in this state.
    state: str


#: The fields in the data of each event.
EVENT_DATA: dict[str, tuple[str, ...]] = {
    "partner.organization.added": ("externalId",),
    "partner.organization.optedIn": ("externalId",),
    "partner.organization.remittanceUpdated": ("externalId",),
    "partner.invoice.created": ("invoiceExternalId", "payeeExternalId"),
    "partner.invoice.paid": ("collected", "invoiceExternalId", "payeeExternalId"),
    "partner.invoice.factoredUpdated": ("invoiceExternalId", "payeeExternalId", "state"),
    "partner.loan.created": ("advanceAmount", "invoiceExternalId", "payeeExternalId"),
    "partner.loan.issued": ("advanceAmount", "invoiceExternalId", "payeeExternalId"),
    "partner.loan.paid": ("advanceAmount", "invoiceExternalId", "payeeExternalId"),
}


WORLD_OPTIONS_HELP = """\
- clock (still, running): Whether its clock runs by itself.
- expires_after_idle_seconds: It is deleted once nobody has used it for so many seconds: no
  request, and no stream of events.
- faults: Rules of faults.
- grease: Whether it takes freedoms.
- platforms: The number of platforms, or the names of those beside the first.
- profile: The fields of a profile. Those that are missing have their values of the standard
  profile.
- scenario (fresh, onboarded, funded, repaid, at-the-limit): How far the story has gone.
- seed: The seed of all that the service chooses.
- speed: How many times as fast as the wall clock it runs.
- start: When its clock starts. If neither this nor the mock says it, and the mock's clock
  runs: now.
"""


FAULT_OPTIONS_HELP = """\
- after_bytes: For `answerCut`: how many bytes of the body arrive.
- after_rows: For `importStops`: how many rows are carried out.
- attempts: For `deliveryDropped`, `signedWithAnotherSecret` and `signedAnHourAgo`: how many
  attempts, from the first; 1 if it is left out.
- event (partner.organization.added, partner.organization.optedIn,
  partner.organization.remittanceUpdated, partner.invoice.created, partner.invoice.paid,
  partner.invoice.factoredUpdated, partner.loan.created, partner.loan.issued,
  partner.loan.paid): Only deliveries of events of this type.
- identifier: Only requests that name this business, invoice, import or subscription.
- invoice: Only deliveries about this invoice.
- label: The label of the fault in a journal or a trace; the name of its act, unless given.
- milliseconds: For `answerDelayed`: how late the answer is.
- nth: Only the request or the delivery of this number, from 1, among those that the conditions
  above select.
- operation (request_advance, invite, get_import, import_invoices, sync_invoice,
  create_onboarding_session, get_business, sync_business, set_payout_account, get_invoice,
  quote, list_subscriptions, subscribe, unsubscribe): Only requests of this operation, by its
  `operationId`.
- payee: Only deliveries about this business, or about an invoice of this payee.
- percent: Only this percentage of those that the conditions above select, at random from the
  seed.
- retry_after_seconds: For `requestThrottled`: the value of `Retry-After`.
- seconds: For `deliveryLate`: how late it is, by the world's clock.
- when (beforeCommit, afterCommit): For `upstreamFails` and `connectionDrops`: before or after
  the effect of the request.
"""


JOURNAL_FILTER_HELP = """\
- after: Only from this number on.
- operation (request_advance, invite, get_import, import_invoices, sync_invoice,
  create_onboarding_session, get_business, sync_business, set_payout_account, get_invoice,
  quote, list_subscriptions, subscribe, unsubscribe): Only of this operation, by its
  `operationId`.
- status: Only answers with this status, such as `404` or `4xx`.
- code: Only refusals with this code.
- clause: Only those that this rule decided.
- path: Only paths that contain this.
- payee: Only about this business.
- invoice: Only about this invoice.
- fault: Only those that met the fault with this label.
- text: Only those whose bodies contain this.
"""


DELIVERY_FILTER_HELP = """\
- after: Only from this number on.
- subscription: Only of the subscription with this reference.
- type: Only events of this type, such as `partner.loan.paid`.
- payee: Only about invoices of this payee.
- invoice: Only about this invoice.
- state: Only in this state.
"""


ACTS_HELP = """\
- upstreamFails: label, operation, identifier, nth, percent, when
- connectionDrops: label, operation, identifier, nth, percent, when
- answerCut: label, operation, identifier, nth, percent, after_bytes
- importStops: label, operation, identifier, nth, percent, after_rows
- answerDelayed: label, operation, identifier, nth, percent, milliseconds
- requestRepeated: label, operation, identifier, nth, percent
- requestThrottled: label, operation, identifier, nth, percent, retry_after_seconds
- deliveryLate: label, event, payee, invoice, nth, percent, seconds
- deliveryDuplicated: label, event, payee, invoice, nth, percent
- deliverySwapped: label, event, payee, invoice, nth, percent
- deliveryDropped: label, event, payee, invoice, nth, percent, attempts
- unknownEventType: label, event, payee, invoice, nth, percent
- unknownField: label, event, payee, invoice, nth, percent
- unknownValue: label, event, payee, invoice, nth, percent
- bodyIndented: label, event, payee, invoice, nth, percent
- signedWithAnotherSecret: label, event, payee, invoice, nth, percent, attempts
- signedAnHourAgo: label, event, payee, invoice, nth, percent, attempts
"""


class Actions:
    """What the outside world does: a method for each action of the operator port."""

    def act(self, action: str, **fields: Any) -> dict[str, Any]:
        """Plays an action by its name at the port."""
        raise NotImplementedError

    def vendor_accepts_invitation(self, payee: str, email: str) -> dict[str, Any]:
        """The invited person follows the link of an invitation, which works once.

        - payee: The business of the invitation.
        - email: The address that was invited.
        """
        return self.act("vendorAcceptsInvitation", payee=payee, email=email)

    def vendor_confirms_tax_id(
        self,
        payee: str,
        route: VendorRoute,
        *,
        tax_id: str | None = None,
    ) -> dict[str, Any]:
        """The vendor confirms its tax id, which clears compliance.

        - payee: The vendor.
        - route: How it does that; `complianceRoute` shows it afterwards.
        - tax_id: The number; the one on file if it is left out.
        """
        return self.act("vendorConfirmsTaxId", payee=payee, route=route, tax_id=tax_id)

    def vendor_signs_agreement(
        self,
        payee: str,
        *,
        address: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The vendor signs the agreement. It must have accepted an invitation before.

        - payee: The vendor.
        - address: The address on the agreement, with which a collection account can open.
        """
        return self.act("vendorSignsAgreement", payee=payee, address=address)

    def vendor_adds_bank_account(
        self,
        payee: str,
        account_number: str,
        routing_number: str,
    ) -> dict[str, Any]:
        """The vendor adds a bank account for its advances, unless the platform has set one.

        - payee: The vendor.
        - account_number: 4 to 17 digits.
        - routing_number: Nine digits, the last of them a check digit.
        """
        return self.act(
            "vendorAddsBankAccount",
            payee=payee,
            account_number=account_number,
            routing_number=routing_number,
        )

    def collection_account_opens(self, payee: str) -> dict[str, Any]:
        """The bank opens the collection account at once, instead of after some minutes.

        - payee: The business whose other three requirements are met.
        """
        return self.act("collectionAccountOpens", payee=payee)

    def vendor_completes_onboarding(
        self,
        payee: str,
        *,
        route: VendorRoute | None = None,
        tax_id: str | None = None,
    ) -> dict[str, Any]:
        """The vendor and the bank do all that is left, so that the business meets all four requirements.

        - payee: The vendor.
        - route: How it confirms its tax id, if that is left to do; by its own word if this is left
          out.
        - tax_id: The number that it confirms; the one on file, or one of its own, if this is left out.
        """
        return self.act("vendorCompletesOnboarding", payee=payee, route=route, tax_id=tax_id)

    def funding_starts(self, payee: str, invoice: str) -> dict[str, Any]:
        """The money of a requested advance is on its way at once, instead of after some seconds.

        - payee: The payee of the invoice.
        - invoice: The invoice.
        """
        return self.act("fundingStarts", payee=payee, invoice=invoice)

    def funding_completes(self, payee: str, invoice: str) -> dict[str, Any]:
        """The money reaches the vendor at once, instead of after an hour.

        - payee: The payee of the invoice.
        - invoice: The invoice.
        """
        return self.act("fundingCompletes", payee=payee, invoice=invoice)

    def payor_pays(self, payee: str, invoice: str, amount: int) -> dict[str, Any]:
        """The payor pays an invoice into the collection account; what exceeds the face value stays in
        suspense.

        - payee: The payee of the invoice.
        - invoice: The invoice.
        - amount: Cents.
        """
        return self.act("payorPays", payee=payee, invoice=invoice, amount=amount)

    def tax_id_found_wrong(self, payee: str) -> dict[str, Any]:
        """The tax id on file turns out to be wrong: compliance is no longer cleared.

        - payee: The vendor.
        """
        return self.act("taxIdFoundWrong", payee=payee)

    def interrupt_next_import(self, after_rows: int) -> dict[str, Any]:
        """The next import stops in the middle; the same file sent again resumes it.

        - after_rows: How many rows it carries out before it stops.
        """
        return self.act("interruptNextImport", after_rows=after_rows)

    def vendor_opens_session(self, url: str) -> dict[str, Any]:
        """The vendor opens the link of an onboarding session, which works once; refused while such links
        lead nowhere.

        - url: The link, as the creation of the session returned it.
        """
        return self.act("vendorOpensSession", url=url)

    def mark_test_account(self, business: str) -> dict[str, Any]:
        """The operator marks a business as a test account: no money of it moves.

        - business: The business.
        """
        return self.act("markTestAccount", business=business)

    def issue_key(self, *, platform: str | None = None) -> dict[str, Any]:
        """The operator issues an API key, which the answer shows.

        - platform: The platform that gets it; a new name makes a new platform. The caller's own if it
          is left out.
        """
        return self.act("issueKey", platform=platform)

    def revoke_key(self, *, key: str | None = None) -> dict[str, Any]:
        """The operator revokes an API key.

        - key: The key; the caller's own if it is left out.
        """
        return self.act("revokeKey", key=key)

    def upstream_fails(self, requests: int) -> dict[str, Any]:
        """The next requests of any caller fail with 502.

        - requests: How many.
        """
        return self.act("upstreamFails", requests=requests)
