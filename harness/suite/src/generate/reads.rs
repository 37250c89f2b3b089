//! Steps that write nothing: reads, quotes, and requests that are refused early.

use proptest::bool::weighted;
use serde_json::json;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::OperationKind::{GetBusiness, GetImport, GetInvoice, Quote};
use tideover_model::wire::route::segment;

use crate::generate::names::{UNKNOWN, run_scoped};
use crate::generate::{Walk, requests as make, values};

impl Walk {
    /// A request that writes nothing, about one of `accounts` or an unknown one.
    pub fn read(&mut self, accounts: &[String]) -> Step {
        match self.draw(0_u32..12) {
            0 | 1 => make::read_at(GetBusiness, &[&self.account_in_path(accounts)]),
            2 => {
                let payee = self.account_in_path(accounts);
                make::read_at(GetInvoice, &[&payee, &run_scoped(UNKNOWN)])
            }
            3..=5 => {
                let business = self.account(accounts);
                make::quote(&business, self.draw(values::face_value()))
            }
            6 => self.bad_quote(accounts),
            7 => make::read_at(GetImport, &[&run_scoped(UNKNOWN)]),
            8 => make::list_subscriptions(),
            9 => make::list_subscriptions().by(&Caller::Nobody),
            10 => {
                let header = ["Basic cmFwOg==", "Bearer", "Bearer ${run}-nobody", ""];
                make::list_subscriptions().by(&Caller::Header(self.pick(&header).to_owned()))
            }
            _ => {
                let method = self.pick(&["GET", "PUT", "POST", "PATCH", "DELETE"]);
                Step::new(Action::Call(Call::bare(method, "/v1/${run}-unknown")))
            }
        }
    }

    fn account(&mut self, accounts: &[String]) -> String {
        if accounts.is_empty() || self.draw(weighted(0.2)) {
            return run_scoped(UNKNOWN);
        }
        self.pick(accounts)
    }

    fn account_in_path(&mut self, accounts: &[String]) -> String {
        let account = self.account(accounts);
        if accounts.contains(&account) { segment(&account).into_owned() } else { account }
    }

    /// A quote with one thing wrong.
    fn bad_quote(&mut self, accounts: &[String]) -> Step {
        let business = json!(self.account(accounts));
        let number = self.draw(values::bad_number());
        let text = match self.draw(0_u32..6) {
            0 => format!("{{\"externalId\":{business},\"invoiceFaceValue\":{number}}}"),
            1 => format!("{{\"externalId\":{business}}}"),
            2 => "{\"invoiceFaceValue\":1000}".to_owned(),
            3 => "{\"externalId\":\"\",\"invoiceFaceValue\":1000}".to_owned(),
            4 => format!("[{business},1000]"),
            _ => self.pick(&["", "{", "not json", "null"]).to_owned(),
        };
        Step::new(Action::Call(Call::text_of(Quote, &[], text)))
    }
}
