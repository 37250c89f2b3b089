//! A tolerant decoder: the fields of a JSON object that someone else wrote.
//!
//! A service may add fields and members of enumerations (`9.versioning.2`), and a wrong one may send anything. So each
//! field is read for itself, and a field that is missing or of another type reads as `None`.

use serde_json::Value;

/// An object, read field by field.
///
/// ```
/// use serde_json::json;
/// use tideover_model::wire::field::Fields;
///
/// let body = json!({ "fundable": true, "faceValue": "100", "grade": "A" });
/// let invoice = Fields::of(&body);
/// assert_eq!(invoice.fundable(), Some(true));
/// assert_eq!(invoice.face_value(), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(&'a Value);

impl<'a> Fields<'a> {
    /// The fields of `value`; none if it is not an object.
    pub const fn of(value: &'a Value) -> Fields<'a> {
        Fields(value)
    }

    /// The field of this name, whatever its type; for names that only run time knows.
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    /// The object as it stands.
    pub const fn value(self) -> &'a Value {
        self.0
    }
}

macro_rules! fields {
    ($($constant:ident $method:ident $name:literal $shape:ident;)*) => {
        $(
            #[doc = concat!("The name of the field `", $name, "`.")]
            pub const $constant: &str = $name;
        )*

        impl<'a> Fields<'a> {
            $(fields!($method $name $shape);)*
        }
    };
    ($method:ident $name:literal any) => {
        #[doc = concat!("`", $name, "`, whatever its type.")]
        pub fn $method(self) -> Option<&'a Value> {
            self.0.get($name)
        }
    };
    ($method:ident $name:literal flag) => {
        #[doc = concat!("`", $name, "`, a boolean.")]
        pub fn $method(self) -> Option<bool> {
            self.0.get($name)?.as_bool()
        }
    };
    ($method:ident $name:literal whole) => {
        #[doc = concat!("`", $name, "`, a whole number; cents if it is an amount.")]
        pub fn $method(self) -> Option<i64> {
            self.0.get($name)?.as_i64()
        }
    };
    ($method:ident $name:literal text) => {
        #[doc = concat!("`", $name, "`, a string.")]
        pub fn $method(self) -> Option<&'a str> {
            self.0.get($name)?.as_str()
        }
    };
    ($method:ident $name:literal list) => {
        #[doc = concat!("`", $name, "`, an array.")]
        pub fn $method(self) -> Option<&'a [Value]> {
            self.0.get($name)?.as_array().map(Vec::as_slice)
        }
    };
    ($method:ident $name:literal object) => {
        #[doc = concat!("`", $name, "`, an object.")]
        pub fn $method(self) -> Option<Fields<'a>> {
            self.0.get($name).filter(|value| value.is_object()).map(Fields)
        }
    };
}

fields! {
    ACCOUNT_NUMBER account_number "accountNumber" text;
    ADDRESS address "address" object;
    ADVANCE advance "advance" object;
    ADVANCE_AMOUNT advance_amount "advanceAmount" whole;
    ALREADY_REQUESTED already_requested "alreadyRequested" flag;
    BANK bank "bank" flag;
    CODE code "code" text;
    COLLECTED collected "collected" whole;
    COLLECTION_ACCOUNT collection_account "collectionAccount" flag;
    COLLECTION_STATE collection_state "collectionState" text;
    COMPLIANCE_ROUTE compliance_route "complianceRoute" text;
    CONTACT contact "contact" object;
    CONTRACT contract "contract" flag;
    CREATED created "created" flag;
    DATA data "data" object;
    DUE_DATE due_date "dueDate" text;
    EVENT_TYPES event_types "eventTypes" list;
    EXPIRES_AT expires_at "expiresAt" text;
    EXTERNAL_ID external_id "externalId" text;
    FACE_VALUE face_value "faceValue" whole;
    FEE_TOTAL fee_total "feeTotal" whole;
    FINANCEABLE_AMOUNT financeable_amount "financeableAmount" whole;
    FINISHED finished "finished" flag;
    FUNDABLE fundable "fundable" flag;
    INVITE_ID invite_id "inviteId" text;
    INVOICE_EXTERNAL_ID invoice_external_id "invoiceExternalId" text;
    INVOICE_FACE_VALUE invoice_face_value "invoiceFaceValue" whole;
    ISSUE_DATE issue_date "issueDate" text;
    KEY key "key" text;
    MASK mask "mask" text;
    NAME name "name" text;
    NOT_FUNDABLE_REASON not_fundable_reason "notFundableReason" any;
    OCCURRED_AT occurred_at "occurredAt" any;
    ONBOARDING onboarding "onboarding" object;
    OUTCOME outcome "outcome" text;
    PAYEE_EXTERNAL_ID payee_external_id "payeeExternalId" text;
    POSTAL_CODE postal_code "postalCode" any;
    REASON reason "reason" any;
    REFERENCE reference "reference" text;
    REMITTANCE remittance "remittance" object;
    ROW_COUNT row_count "rowCount" whole;
    ROWS rows "rows" list;
    SECRET secret "secret" text;
    SEQUENCE sequence "sequence" whole;
    STATE state "state" text;
    STATUS status "status" text;
    SUSPENSE suspense "suspense" whole;
    TAX_ID tax_id "taxId" text;
    TAX_ID_ON_FILE tax_id_on_file "taxIdOnFile" flag;
    TAX_ID_RESULT tax_id_result "taxIdResult" object;
    TYPE kind "type" text;
    URL url "url" text;
}
