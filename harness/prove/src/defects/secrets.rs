//! Defects that reveal secrets, tax ids or the funder.

use serde_json::json;
use tideover_model::exchange::respond;
use tideover_model::wire::reply::Reply;
use tideover_model::{Code, Token, clause};

use crate::defects::Defect;
use crate::defects::breach::{choice, encoding};
use crate::defects::chosen::Skew;
use crate::defects::errors::rewritten;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "list-shows-secrets",
        clause!("4.webhookList.1"),
        "the list of subscriptions shows the secret of each",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::Subscriptions(_)) {
                    for one in body.as_array_mut()? {
                        one["secret"] = json!("whsec_shown");
                    }
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "refused-subscription-shows-the-secret",
        clause!("4.webhooks.3"),
        "the refusal of a second subscription shows the secret of the first",
        encoding(|profile, answer| {
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
        }),
    ),
    Defect::new(
        "one-secret-for-all",
        clause!("2.subscription.secret"),
        "every subscription has the same secret",
        choice(Skew::Same(Token::SubscriptionSecret)),
    ),
    altered!("returned-secret-does-not-sign", "6.signature.1",
        Subscribed(subscribed) => subscribed.secret.push('0'),
        "deliveries are signed with another secret than the one returned"),
    Defect::new(
        "tax-id-is-shown",
        clause!("2.business.taxIdOnFile.2"),
        "a business shows the tax id that is on file",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::Business(business) if business.tax_id_on_file) {
                    body["taxId"] = json!("12-0000000");
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "funder-is-shown",
        clause!("1.general.5"),
        "the advance on an invoice shows who funds it",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::Invoice(invoice) if invoice.advance.is_some()) {
                    body["advance"]["funder"] = json!("Harbor Capital");
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "reason-of-a-sync-is-null",
        clause!("2.businessSynced.reason"),
        "the reason of a business sync is null when nothing was created",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::BusinessSynced(synced) if !synced.created) {
                    body["reason"] = json!(null);
                }
                Some(())
            })
        }),
    ),
];
