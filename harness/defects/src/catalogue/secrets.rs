//! Defects that reveal secrets, tax ids or the funder.

use serde_json::json;
use tideover_model::exchange::respond;
use tideover_model::{Code, Token};

use crate::WrongChoice;
use crate::hooks::{choice, encoding};

defects! {
    "list-shows-secrets", "4.webhookList.1",
        "the list of subscriptions shows the secret of each",
        body!(|body| Subscriptions(_) => {
            for one in body.as_array_mut()? {
                one["secret"] = json!("whsec_shown");
            }
        });
    "refused-subscription-shows-the-secret", "4.webhooks.3",
        "the refusal of a second subscription shows the secret of the first",
        encoding(&|profile, answer| {
            let mut response = respond(profile, answer);
            if answer.as_ref().is_err_and(|refusal| refusal.code == Code::AlreadySubscribed) {
                response.body = json!({
                    "error": "The endpoint is already subscribed.",
                    "code": Code::AlreadySubscribed.name(),
                    "secret": "whsec_shown",
                })
                .to_string()
                .into_bytes();
            }
            response
        });
    "one-secret-for-all", "2.subscription.secret",
        "every subscription has the same secret",
        choice(WrongChoice::Same(Token::SubscriptionSecret));
    "returned-secret-does-not-sign", "6.signature.1",
        "deliveries are signed with another secret than the one returned",
        edit!(Subscribed(subscribed) => subscribed.secret.push('0'));
    "tax-id-is-shown", "2.business.taxIdOnFile.2",
        "a business shows the tax id that is on file",
        body!(|body| Business(business) if business.tax_id_on_file =>
            body["taxId"] = json!("12-0000000"));
    "funder-is-shown", "1.general.5",
        "the advance on an invoice shows who funds it",
        body!(|body| Invoice(invoice) if invoice.advance.is_some() =>
            body["advance"]["funder"] = json!("Harbor Capital"));
    "reason-of-a-sync-is-null", "2.businessSynced.reason",
        "the reason of a business sync is null when nothing was created",
        body!(|body| BusinessSynced(synced) if !synced.created => body["reason"] = json!(null));
}
