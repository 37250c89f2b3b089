"""What a tool has to hold: the same invoices for each, in the form that it takes."""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from processes import Request

VENDORS = 50_000
# The most rows that an import may have, and the most items that a batch of DynamoDB may have.
IMPORT_ROWS = 1000
BATCH_ITEMS = 25

TIDEOVER_KEY = {"Authorization": "Bearer rap_sk_local"}
STRIPE_KEY = {"Authorization": "Bearer sk_test_12345", "Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


class Load(NamedTuple):
    """Requests that make objects, and how one of them is read back."""

    what: str
    # The requests that make so many objects, each with the number of those that it makes.
    requests: Callable[[int], Iterator[tuple[int, Request]]]
    # What each of their answers contains.
    wanted: bytes
    read: Callable[[int], Request]
    # What the answer to `read` contains.
    shown: Callable[[int], str]
    # The first request, if it is not that of the start.
    first: Request | None = None


def invoice(number):
    """An invoice, the same in every run. Its parties are scattered among 100,000 businesses."""
    payee, payor = number * 48271 % VENDORS, VENDORS + number * 69621 % VENDORS
    return {
        "externalId": name(number),
        "payeeExternalId": f"business-{payee:06}",
        "payeeLegalName": f"Business {payee:06} Incorporated",
        "payorExternalId": f"business-{payor:06}",
        "payorLegalName": f"Business {payor:06} Incorporated",
        "status": "ISSUED",
        "faceValue": 100_000 + number * 16807 % 900_000,
        "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2026-01-31T00:00:00Z",
    }


def name(number):
    return f"INV-2026-{number:07}"


def batches(objects, most):
    return (range(first, min(first + most, objects)) for first in range(0, objects, most))


def sync_business():
    return Request("PUT", "/v1/organizations/acme", json.dumps({"legalName": "Acme Ltd"}), {**TIDEOVER_KEY, **JSON})


# Tideover


def imports(objects):
    headers = {**TIDEOVER_KEY, "Content-Type": "text/csv"}
    for rows in batches(objects, IMPORT_ROWS):
        lines = [",".join(invoice(0)), *(",".join(map(str, invoice(row).values())) for row in rows)]
        body = "\n".join(lines).encode()
        yield len(rows), Request("PUT", f"/v1/invoices/imports/from-{rows.start}", body, headers)


def get_invoice(number):
    payee = invoice(number)["payeeExternalId"]
    return Request("GET", f"/v1/organizations/{payee}/invoices/{name(number)}", headers=TIDEOVER_KEY)


# Mockoon


def whole_bucket(objects):
    body = f"[{','.join(json.dumps(invoice(number)) for number in range(objects))}]"
    yield objects, Request("PUT", "/invoices", body, JSON)


def get_entry(number):
    return Request("GET", f"/invoices/{name(number)}")


# localstripe


def create_customer(number):
    fields = invoice(number)
    metadata = {f"metadata[{field}]": value for field, value in fields.items()}
    return Request("POST", "/v1/customers", urlencode({"name": fields["payeeLegalName"], **metadata}), STRIPE_KEY)


def customers(objects):
    return ((1, create_customer(number)) for number in range(objects))


def list_customers(_):
    return Request("GET", "/v1/customers?limit=1", headers=STRIPE_KEY)


# moto


def dynamo(operation, body):
    credential = "test/20260101/us-east-1/dynamodb/aws4_request"
    headers = {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=0",
    }
    return Request("POST", "/", json.dumps(body), headers)


def create_table():
    key = "externalId"
    table = {
        "TableName": "invoices",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
    }
    return dynamo("CreateTable", table)


def item(number):
    return {
        field: {"N": str(value)} if isinstance(value, int) else {"S": value}
        for field, value in invoice(number).items()
    }


def item_batches(objects):
    for numbers in batches(objects, BATCH_ITEMS):
        puts = [{"PutRequest": {"Item": item(number)}} for number in numbers]
        yield len(numbers), dynamo("BatchWriteItem", {"RequestItems": {"invoices": puts}})


def get_item(number):
    return dynamo("GetItem", {"TableName": "invoices", "Key": {"externalId": {"S": name(number)}}})


IMPORTS = Load("invoices", imports, b'"rejected":0', get_invoice, name)
BUCKET = Load("entries of a data bucket", whole_bucket, b"[", get_entry, name, Request("GET", "/invoices"))
CUSTOMERS = Load("customers", customers, b'"cus_', list_customers, lambda _: "cus_")
ITEMS = Load("items of DynamoDB", item_batches, b'"UnprocessedItems": {}', get_item, name)
