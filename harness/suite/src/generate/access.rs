//! Toward subscriptions, keys, upstream failures and boundary values.

use serde_json::json;
use tideover_exchange::step::{Action, Caller, Step};
use tideover_model::{ActionKind, OperationKind};

use crate::generate::names::VENDORS;
use crate::generate::plain::{INVOICE, VENDOR, plain};
use crate::generate::{Walk, requests as make, values};

/// When a key is revoked, after what shows that it was valid.
const REVOCATION: usize = 4;

impl Walk {
    pub(super) fn toward_subscription(
        &mut self,
        name: &mut Option<String>,
        stage: usize,
    ) -> Option<Step> {
        if name.is_none() {
            *name = Some(format!("{}/{}", self.draw(values::receiver()), self.fresh_name("hook")));
        }
        let url = name.clone()?;
        let step_name = url.rsplit('/').next()?.to_owned();
        Some(match stage {
            0 => {
                make::subscribe(&url, Some(vec![self.draw(values::event_type())])).named(step_name)
            }
            1 => make::subscribe(&url, None),
            2 | 6 => make::list_subscriptions(),
            3 => self.sync_issued("v2", "i2"),
            4 => Step::new(Action::Deliveries),
            5 => make::advance_clock(self.draw(values::retry_delay())),
            7 | 8 => make::unsubscribe(&format!("${{{step_name}.reference}}")),
            9 => make::sync_business(&self.fresh_name("b"), "After the deletion", None, None),
            10 => make::advance_clock(100_000),
            11 => make::subscribe(&values::bad_destination(&mut self.source), None),
            // One that was deleted is another one when it comes again.
            12 | 13 => make::subscribe(&url, None),
            14 => make::list_subscriptions(),
            15 => make::sync_business(&self.fresh_name("b"), "After the return", None, None),
            _ => return None,
        })
    }

    pub(super) fn toward_keys(&mut self, name: &mut Option<String>, stage: usize) -> Option<Step> {
        let step_name = name.get_or_insert_with(|| self.fresh_name("key")).clone();
        let key = format!("${{{step_name}.key}}");
        let holder = Caller::Key(key.clone());
        if stage == 0 {
            // Every endpoint meets the revoked key.
            let needed = REVOCATION + OperationKind::ALL.len();
            if self.room() <= needed as u64 {
                return None;
            }
            self.undisturbed = needed;
        }
        // What the revoked key asks for is there.
        let last = [
            make::get_business(VENDOR),
            make::get_invoice(VENDOR, INVOICE),
            make::act(ActionKind::MarkTestAccount, json!({ "externalId": VENDOR })),
        ];
        Some(match stage {
            0 => make::act(ActionKind::IssueKey, json!({})).named(step_name),
            1 => make::list_subscriptions().by(&holder),
            2 => self.supply_tax_id(VENDOR).by(&holder),
            3 => plain(OperationKind::SyncInvoice).by(&holder),
            REVOCATION => make::act(ActionKind::RevokeKey, json!({ "key": key })),
            stage => {
                let refused = OperationKind::ALL.into_iter().map(|kind| plain(kind).by(&holder));
                return refused.chain(last).nth(stage - REVOCATION - 1);
            }
        })
    }

    /// Quotes every boundary amount in turn, so that none depends on chance.
    pub(super) fn toward_boundaries(&mut self, stage: usize) -> Option<Step> {
        const PRICED: i64 = 1_000_000;
        let [first, vendor, third] = VENDORS;
        let synced = [vendor, first, third];
        if let Some(vendor) = synced.get(stage) {
            return Some(self.supply_tax_id(vendor));
        }
        // Each vendor has its own price, whoever was quoted before.
        let in_turn = [first, vendor, third, first, third, vendor].map(|it| (it, PRICED));
        let bounds = values::FACE_VALUES.map(|face| (vendor, face));
        let mut quoted = in_turn.into_iter().chain(bounds);
        quoted.nth(stage - synced.len()).map(|(vendor, face)| make::quote(vendor, face))
    }

    pub(super) fn toward_upstream_failure(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => make::act(ActionKind::UpstreamFails, json!({ "requests": 1 })),
            1 | 2 => make::sync_business("v1", "After a failure", None, None),
            3 => make::get_business("v1"),
            _ => return None,
        })
    }
}
